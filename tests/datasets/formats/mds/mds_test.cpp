#include "leat/datasets/formats/mds/mds.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/image_dataset.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/hostile.h"
#include "tests/datasets/support/mds_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr const char* kShard = "shard.00000.mds";

void read_all(const std::filesystem::path& folder) {
  const MdsSource source(folder);
  StoredSample sample;
  for (std::size_t i = 0; i < source.size(); ++i) source.read(i, {}, sample);
}

}  // namespace

TEST_CASE("the shard of the reference vector") {
  const std::string shard = mds_shard(vector_columns(), vector_bodies());
  // 4 + 3 * 4 bytes of offsets, 183 of configuration.
  CHECK(shard.substr(0, 16) == FileBytes().u32(2).u32(199).u32(213).u32(228).str());
  CHECK(shard.size() == 228);
  const TemporaryFolder folder;
  folder.write(kShard, shard);
  folder.write("index.json", mds_index({mds_entry(vector_columns(), 2, kShard, shard.size())}));
  const MdsSource source(folder.path());
  REQUIRE(source.size() == 2);
  StoredSample sample;
  source.read(1, {}, sample);
  REQUIRE(sample.fields().size() == 2);
  CHECK(to_string(sample.fields()[0].encoding) == "bytes");
  CHECK(sample.fields()[0].text() == "abc");
  CHECK(integer_of(sample.fields()[1]) == -1);
  source.read(0, FieldChoice({"y"}), sample);
  REQUIRE(sample.fields().size() == 1);
  CHECK(integer_of(sample.fields()[0]) == 7);
  CHECK(source.describe(1).find("shard.00000.mds, sample 1") != std::string::npos);
}

TEST_CASE("several shards, one of them empty, one compressed") {
  const TemporaryFolder folder, cache;
  const std::string two = mds_shard(vector_columns(), vector_bodies()),
                    none = mds_shard(vector_columns(), {});
  const std::string zip = zstd_compressed(two);
  folder.write("a.mds", two);
  folder.write("b.mds", none);
  folder.write("sub/c.mds.zstd", zip);
  folder.write("index.json",
               mds_index({mds_entry(vector_columns(), 2, "a.mds", two.size()),
                          mds_entry(vector_columns(), 0, "b.mds", none.size()),
                          mds_entry(vector_columns(), 2, "sub/c.mds", two.size(), zip.size())}));
  for (int time = 0; time < 2; ++time) {
    const MdsSource source(folder.path(), {cache.path()});
    REQUIRE(source.size() == 4);
    StoredSample sample;
    for (std::size_t i = 0; i < 4; ++i) {
      source.read(i, {}, sample);
      CHECK(integer_of(*sample.find("y")) == (i % 2 == 0 ? 7 : -1));
    }
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    CHECK(entry.file_size() == two.size());
  }
  CHECK(files == 1);
}

TEST_CASE("compressed shards that are not what their index says are refused, and leave nothing") {
  const std::string raw = mds_shard(vector_columns(), vector_bodies()), zip = zstd_compressed(raw);
  const TemporaryFolder folder, cache;
  const auto refused = [&](std::string_view stored, std::size_t bytes,
                           std::initializer_list<std::string_view> fragments) {
    folder.write("a.mds.zstd", stored);
    folder.write("index.json", mds_index({mds_entry(vector_columns(), 2, "a.mds", bytes, stored.size())}));
    StoredSample sample;
    const MdsSource source(folder.path(), {cache.path()});
    expect_error<DataError>([&] { source.read(0, {}, sample); }, fragments);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path()))
      CHECK(entry.is_directory());
  };
  refused(zip, raw.size() - 1, {"a.mds.zstd", "more comes out"});
  refused(zip, raw.size() + 1, {"a.mds.zstd", "1 bytes fewer"});
  refused(zstd_compressed(std::string(50'000'000, 'x')), 1000, {"more comes out"});
  for (std::size_t length = 1; length < zip.size(); ++length)
    refused(zip.substr(0, length), raw.size(), {"a.mds.zstd"});
  refused("not zstd at all", raw.size(), {"zstd"});
  folder.write("a.mds.zstd", "short");
  expect_error<DataError>([&] { MdsSource(folder.path(), {cache.path()}); }, {"5 bytes, its index says"});
}

TEST_CASE("MDS's images are samples for training") {
  const TemporaryFolder folder;
  const MdsColumns columns{
      .names = R"(["image", "label"])", .encodings = R"(["pil", "uint8"])", .sizes = "[null, 1]"};
  const std::string image = FileBytes().u32(1).u32(2).u32(3).text("RGB").text("RGBrgb").str();
  const std::string shard =
      mds_shard(columns, {FileBytes().u32(static_cast<std::uint32_t>(image.size())).text(image).u8(9).str()});
  folder.write(kShard, shard);
  folder.write("index.json", mds_index({mds_entry(columns, 1, kShard, shard.size())}));
  const ImageDataset records(std::make_shared<MdsSource>(folder.path()), CenterCrop(2, 1));
  const OneSample sample(records, 0);
  CHECK(text_of(sample.bytes(0)) == "RGBrgb");
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{9});
}

TEST_CASE("indexes that are none are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string index, std::string_view from, std::string_view to,
                           std::initializer_list<std::string_view> fragments) {
    const std::size_t at = index.find(from);
    REQUIRE(at != std::string::npos);
    folder.write("index.json", index.replace(at, from.size(), to));
    expect_error<DataError>([&] { MdsSource(folder.path()); }, fragments);
  };
  const std::string plain = mds_index({mds_entry(vector_columns(), 2, "a.mds", 228)});
  const std::string zipped = mds_index({mds_entry(vector_columns(), 2, "a.mds", 228, 100)});
  refused(plain, "{", "", {"index.json"});
  refused(plain, "\"shards\"", "\"shard\"", {"'shards' is missing"});
  refused(plain, "\"version\": 2, ", "\"version\": 3, ", {"shard 0", "version 2"});
  refused(plain, "\"mds\"", "\"xyz\"", {"MDS shard"});
  refused(plain, "a.mds", "../a.mds", {"leads out"});
  refused(plain, "a.mds", "/etc/passwd", {"leads out"});
  refused(plain, "a.mds", "x/../../y", {"leads out"});
  refused(plain, "\"samples\": 2", "\"samples\": -2", {"'samples' is no number"});
  refused(plain, "\"samples\": 2", "\"samples\": 99999999999", {"99999999999 samples"});
  refused(plain, "228", "18446744073709551615", {"less than 4 GiB"});
  refused(plain, "\"int\"", "\"nonsense\"", {"'nonsense', which is not known"});
  refused(plain, "[null, 8]", "[null, 4]", {"'y' is int, whose size is 8"});
  refused(plain, "[null, 8]", "[null, null]", {"'y' is int"});
  refused(plain, "[null, 8]", "[null]", {"2 names, 2 encodings and 1 sizes"});
  refused(zipped, "zstd:3", "snappy", {"'snappy'"});
  refused(mds_index({mds_entry(vector_columns(), 2, "a.mds", 228),
                     mds_entry({"[\"x\"]", "[\"str\"]", "[null]"}, 2, "b", 1)}),
          "a.mds", "a.mds", {"shard 1", "columns are not those"});
}

TEST_CASE("shards that are damaged are refused") {
  const TemporaryFolder folder;
  const MdsColumns columns{
      .names = R"(["p", "x"])", .encodings = R"(["pkl", "str"])", .sizes = "[null, null]"};
  const auto source = [&](const std::string& shard, std::size_t samples = 1) {
    folder.write(kShard, shard);
    folder.write("index.json", mds_index({mds_entry(columns, samples, kShard, shard.size())}));
    return std::make_unique<MdsSource>(folder.path());
  };
  StoredSample sample;
  const std::string sound = mds_shard(columns, {FileBytes().u32(1).u32(2).text("pxx").str()});
  source(sound)->read(0, FieldChoice({"x"}), sample);
  CHECK(sample.fields()[0].text() == "xx");
  expect_error<DataError>([&] { source(sound)->read(0, {}, sample); }, {"'p' is a pickle"});
  expect_error<DataError>([&] { source(sound, 2)->read(0, {}, sample); }, {"1 samples, its index says 2"});
  const auto refused = [&](const FileBytes& body, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>(
        [&] { source(mds_shard(columns, {body.str()}))->read(0, FieldChoice({"x"}), sample); }, fragments);
  };
  refused(FileBytes().u32(1).u32(2).text("pxxx"), {"1 bytes belong to no column"});
  refused(FileBytes().u32(1).u32(3).text("pxx"), {"3 bytes are expected, but 2 are left"});
  refused(FileBytes().u32(0xffffffff).u32(1).text("pxx"), {"4294967295 bytes"});
  refused(FileBytes().u16(1), {"4 bytes are expected"});
  for (const auto& ends :
       {FileBytes().u32(0).u32(400), FileBytes().u32(200).u32(199), FileBytes().u32(200).u32(~0U)}) {
    std::string changed = sound;
    changed.replace(4, 8, ends.str());
    expect_error<DataError>([&] { source(changed)->read(0, {}, sample); }, {kShard});
  }
  std::filesystem::resize_file(folder / kShard, 20);
  expect_error<DataError>([&] { MdsSource(folder.path()).read(0, {}, sample); },
                          {"20 bytes, its index says"});
}

TEST_CASE("a shard with a wrong byte ends in samples or an error, not in a crash") {
  const std::string sound = mds_shard(vector_columns(), vector_bodies());
  const TemporaryFolder folder;
  folder.write("index.json", mds_index({mds_entry(vector_columns(), 2, kShard, sound.size())}));
  const auto use = [&](const std::filesystem::path& path) {
    std::filesystem::remove(folder / kShard);
    std::filesystem::create_symlink(path, folder / kShard);
    read_all(folder.path());
  };
  expect_truncations_refused(sound, use, 0, kShard);
  CHECK(survive_wrong_bytes(sound, use) > 0);
}

TEST_CASE("a sample that lies in its shard's own index is refused, even where its bytes would parse") {
  const TemporaryFolder folder;
  const MdsColumns columns{.names = R"(["y"])", .encodings = R"(["int"])", .sizes = "[8]"};
  const std::string sound = mds_shard(columns, {FileBytes().u64(7).str(), FileBytes().u64(8).str()});
  folder.write("index.json", mds_index({mds_entry(columns, 2, kShard, sound.size())}));
  constexpr std::uint32_t kIndexBytes = 4 + 3 * 4;
  for (const std::uint32_t first : {0U, 4U, 8U, kIndexBytes - 1}) {
    INFO(first);
    std::string forged = sound;
    forged.replace(4, 8, FileBytes().u32(first).u32(first + 8).str());
    folder.write(kShard, forged);
    const MdsSource source(folder.path());
    StoredSample sample;
    expect_error<DataError>([&] { source.read(0, {}, sample); },
                            {std::string(kShard), fmt::format("from offset {} to {}", first, first + 8)});
  }
}

TEST_CASE("how a writer encoded its JPEGs need not be known") {
  const TemporaryFolder folder;
  const MdsColumns columns{
      .names = R"(["p", "q"])", .encodings = R"(["jpeg:90", "jpegarray"])", .sizes = "[null, null]"};
  const std::string shard = mds_shard(columns, {FileBytes().u32(1).u32(2).text("abc").str()});
  folder.write(kShard, shard);
  folder.write("index.json", mds_index({mds_entry(columns, 1, kShard, shard.size())}));
  const MdsSource source(folder.path());
  StoredSample sample;
  source.read(0, {}, sample);
  CHECK(to_string(sample.fields()[0].encoding) == "jpeg");
  CHECK(to_string(sample.fields()[1].encoding) == "jpeg_array");
}

}  // namespace leat::test
