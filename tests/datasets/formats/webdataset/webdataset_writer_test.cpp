#include "leat/datasets/formats/webdataset/webdataset_writer.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <set>

#include "leat/datasets/formats/arrays/npy.h"
#include "leat/datasets/formats/mds/mds_writer.h"
#include "leat/datasets/formats/shard_set_writer.h"
#include "leat/datasets/formats/stored_value.h"
#include "leat/datasets/formats/tar/tar_scanner.h"
#include "leat/datasets/formats/tar/ustar.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Member {
  std::string name;
  std::string content;
};

std::string text_at(const std::string& tar, std::size_t at, std::size_t size) {
  return {tar.data() + at, ::strnlen(tar.data() + at, size)};
}

// As a reader of ustar: sums checked, prefix and name joined.
std::vector<Member> members_of(const std::string& tar) {
  std::vector<Member> members;
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i) {
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(tar[at + i]);
    }
    CHECK(std::stoul(text_at(tar, at + 148, 8), nullptr, 8) == sum);
    CHECK(text_at(tar, at + 257, 8) == "ustar");
    CHECK(text_at(tar, at + 100, 8) == "0000444");
    CHECK(text_at(tar, at + 265, 32) == "bigdata");
    CHECK(tar[at + 156] == '0');
    const std::size_t size = std::stoul(text_at(tar, at + 124, 12), nullptr, 8);
    const std::string prefix = text_at(tar, at + 345, 155), name = text_at(tar, at, 100);
    members.push_back({prefix.empty() ? name : prefix + "/" + name, tar.substr(at + 512, size)});
    at += 512 + (size + 511) / 512 * 512;
  }
  return members;
}

RecordSchema folder_schema() {
  return RecordSchema({{{"label", DType::i64, {}}, Content::values},
                       {Field::text("image", 1000), Content::jpeg},
                       {Field::text("name", 300), Content::text}});
}

Record folder_sample(std::int64_t label, const std::string& image, const std::string& name) {
  return {{bytes_of(std::vector{label}), bytes_of(image), bytes_of(name)}};
}

}  // namespace

TEST_CASE("WebDataset: members lie next to each other in order of their suffixes") {
  const TemporaryFolder folder;
  const WebDatasetShardWriter format(folder_schema());
  ShardSetWriter writer(folder.path(), format, 1 << 20);
  writer.add(format.encode(folder_sample(3, "first", "cat/a.b.jpg"), 0));
  writer.add(format.encode(folder_sample(-4, std::string(512, 'x'), "cat/c.jpeg"), 1));
  writer.finish();
  const std::string tar = content_of(folder / "shard-000000.tar");
  CHECK(tar.size() == kTarRecord);
  const auto members = members_of(tar);
  REQUIRE(members.size() == 4);
  CHECK(members[0].name == "cat/a%2Eb.cls");  // a key ends at the first dot of its last part
  CHECK(members[0].content == "3");
  CHECK(members[1].name == "cat/a%2Eb.jpg");
  CHECK(members[1].content == "first");
  CHECK(members[2].name == "cat/c.cls");
  CHECK(members[2].content == "-4");
  CHECK(members[3].name == "cat/c.jpg");
  CHECK(members[3].content == std::string(512, 'x'));
  CHECK(std::system(("tar tf " + (folder / "shard-000000.tar").string() + " > /dev/null").c_str()) == 0);
}

TEST_CASE("WebDataset: a PNG is called so, whatever its name was") {
  const WebDatasetShardWriter format(folder_schema());
  const std::string png = "\x89PNG\r\n\x1a\n";
  const EncodedSample sample = format.encode(folder_sample(1, png, "cat/a.jpg"), 0);
  const auto members = members_of({reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()});
  REQUIRE(members.size() == 2);
  CHECK(members[1].name == "cat/a.png");
  CHECK(members[1].content == png);
}

TEST_CASE("WebDataset: samples without names are numbered, arrays are .npy files") {
  const WebDatasetShardWriter format(RecordSchema({{{"point", DType::f32, {3}}, Content::values}}));
  const EncodedSample sample = format.encode({{bytes_of(std::vector{1.0F, 2.0F, 3.0F})}}, 41);
  const auto members = members_of({reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()});
  REQUIRE(members.size() == 1);
  CHECK(members[0].name == "000000041.point.npy");
  const std::string& npy = members[0].content;
  REQUIRE(npy.size() == 128 + 12);
  CHECK(npy.substr(0, 10) == std::string("\x93NUMPY\x01\0\x76\0", 10));
  CHECK(npy.substr(10, 57) == "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  CHECK(npy[127] == '\n');
  float second = 0;
  std::memcpy(&second, npy.data() + 132, sizeof second);
  CHECK(second == 2.0F);
}

TEST_CASE("bools are bools to NumPy, and bytes to MDS, which has none") {
  const std::vector<std::uint8_t> values{1, 0, 1};
  const std::vector<std::byte> file = to_npy(DType::boolean, {3}, bytes_of(values));
  const std::string npy(reinterpret_cast<const char*>(file.data()), file.size());
  CHECK(npy.substr(10, 57) == "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }");
  CHECK(npy.substr(128) == std::string("\1\0\1", 3));
  const RecordSchema schema({{{"truth", DType::boolean, {3}}, Content::values}});
  CHECK(MdsShardWriter(schema, 1 << 20).config().find(R"(["ndarray:uint8:3"])") != std::string::npos);
}

TEST_CASE("a bool that is read is a byte of 0 or 1") {
  StoredField field("truth", parse_encoding("ndarray:bool:2"), {});
  field.memory() = bytes_of(std::vector<std::uint8_t>{0, 1});
  CHECK(parse_value(field).dtype == DType::boolean);
  field.memory()[0] = std::byte{7};
  expect_error<DataError>([&] { parse_value(field); }, {"truth", "neither 0 nor 1"});
  CHECK(integer_of({"label", parse_encoding("bool"), bytes_of(std::vector<std::uint8_t>{1})}) == 1);
}

TEST_CASE("WebDataset: long names are split, or stand in a header of their own") {
  const WebDatasetShardWriter format(folder_schema());
  const std::string path = std::string(90, 'd') + "/" + std::string(80, 'n') + ".jpg";
  const EncodedSample sample = format.encode(folder_sample(1, "x", path), 0);
  const auto members = members_of({reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()});
  CHECK(members.at(1).name == path);
  std::vector<std::string> names;
  const TemporaryFolder folder;
  ShardSetWriter writer(folder.path(), format, 1 << 20);
  for (const std::size_t length : {96U, 97U, 98U, 120U, 255U, 300U, 985U, 4000U}) {
    names.push_back("cat/" + std::string(length - 4, 'n'));
    writer.add(format.encode(folder_sample(1, "x", names.back() + ".jpg"), names.size()));
  }
  writer.finish();
  const std::string tar = folder / "shard-000000.tar";
  const FileReader file(tar);
  TarFile archive(file);
  TarScanner scanner(archive);
  for (const std::string& name : names) {
    for (const char* suffix : {".cls", ".jpg"}) {
      const auto member = scanner.next();
      REQUIRE(member);
      CHECK(member->name == name + suffix);
    }
  }
  CHECK_FALSE(scanner.next());
  const std::string list = folder / "list";
  REQUIRE(std::system(("tar tf " + tar + " > " + list).c_str()) == 0);
  CHECK(content_of(list).find("/" + std::string(296, 'n') + ".jpg\n") != std::string::npos);
  const std::string long_name = std::string(5000, 'n').append(".jpg");
  expect_error<ArgumentError>([&] { format.encode(folder_sample(1, "x", long_name), 0); },
                              {"the limit is 4096"});
}

TEST_CASE("WebDataset: different names have different keys") {
  const WebDatasetShardWriter format(folder_schema());
  std::set<std::string> keys;
  const std::vector<std::string> names{"x.1.jpg",  "x_1.jpg",  "x.1.2.jpg", "x.1_2.jpg",
                                       "img.0001", "img.0002", "img"};
  for (const std::string& name : names) keys.insert(format.encode(folder_sample(1, "x", "a/" + name), 0).key);
  CHECK(keys.size() == names.size());
  CHECK(keys.count("a/x%2E1") == 1);
  CHECK(keys.count("a/img%2E0002") == 1);
}

TEST_CASE("WebDataset: keys that a reader would skip, join or follow out are refused") {
  const WebDatasetShardWriter format(folder_schema());
  for (const char* name : {"", "a/", "../a.jpg", "a/../b.jpg", "/etc/a.jpg", "__a/b.jpg"}) {
    INFO(name);
    expect_error<ArgumentError>([&] { format.encode(folder_sample(1, "x", name), 0); }, {"key"});
  }
  const TemporaryFolder folder;
  ShardSetWriter writer(folder.path(), format, 1 << 20);
  writer.add(format.encode(folder_sample(1, "x", "a.b.jpg"), 0));
  expect_error<ArgumentError>([&] { writer.add(format.encode(folder_sample(1, "x", "a.b.png"), 1)); },
                              {"a%2Eb"});
}

TEST_CASE("WebDataset: shards keep to their size") {
  const TemporaryFolder folder;
  const WebDatasetShardWriter format(folder_schema());
  ShardSetWriter writer(folder.path(), format, 30'720);
  for (std::size_t i = 0; i < 100; ++i) {
    writer.add(format.encode(folder_sample(0, "x", std::to_string(i)), i));
  }
  writer.finish();
  std::size_t members = 0;
  for (const ShardSummary& shard : writer.shards()) {
    const std::string tar = content_of(folder / shard.file);
    CHECK(tar.size() <= 30'720);
    CHECK(tar.size() == shard.bytes);
    CHECK(tar.size() % kTarRecord == 0);
    members += members_of(tar).size();
  }
  CHECK(members == 200);
  CHECK(writer.shards().size() > 1);
}

}  // namespace leat::test
