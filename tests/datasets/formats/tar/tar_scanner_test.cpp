#include "leat/datasets/formats/tar/tar_scanner.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/support/hostile.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

std::vector<TarMember> scan(const std::filesystem::path& path) {
  const FileReader file(path);
  TarFile archive(file);
  TarScanner scanner(archive);
  std::vector<TarMember> members;
  while (auto member = scanner.next()) {
    std::vector<std::byte> data;
    file.read(member->offset, member->size, data);
    members.push_back(std::move(*member));
  }
  return members;
}

std::vector<TarMember> scan(const TarBytes& tar) {
  const TemporaryFolder folder;
  return scan(folder.write("a.tar", tar.str()));
}

void refused(const TarBytes& tar, std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { scan(tar); }, fragments);
}

}  // namespace

TEST_CASE("members with names, offsets and sizes") {
  const auto members =
      scan(TarBytes().add({"a.txt", "hello"}).add({"empty", ""}).add({"b", std::string(513, 'x')}).end());
  REQUIRE(members.size() == 3);
  CHECK(members[0].name == "a.txt");
  CHECK(members[0].offset == 512);
  CHECK(members[0].size == 5);
  CHECK(members[1].offset == 1536);
  CHECK(members[1].size == 0);
  CHECK(members[2].offset == 2048);
  CHECK(members[2].size == 513);
  CHECK(scan(TarBytes().end()).empty());
  CHECK(scan(TarBytes().add({"a", "1"}).end(1)).size() == 1);
  CHECK(scan(TarBytes().add({"a", "1"}).end(20)).size() == 1);
}

TEST_CASE("long names: ustar's prefix, GNU's extension, PAX") {
  const std::string longer(300, 'n');
  const auto members = scan(TarBytes()
                                .add({.name = "leaf", .data = "1", .prefix = "some/dir"})
                                .add({.name = "././@LongLink", .data = longer + '\0', .type = 'L'})
                                .add({"nnn", "2"})
                                .pax("path", "pax/" + longer)
                                .add({"short", "3"})
                                .add({"plain", "4"})
                                .end());
  REQUIRE(members.size() == 4);
  CHECK(members[0].name == "some/dir/leaf");
  CHECK(members[1].name == longer);
  CHECK(members[2].name == "pax/" + longer);
  CHECK(members[3].name == "plain");
}

TEST_CASE("sizes in base 256 and in PAX headers") {
  std::string base256;
  base256.assign(12, '\0');
  base256[0] = '\x80';
  base256[11] = 3;
  CHECK(scan(TarBytes().add({.name = "a", .data = "abc", .size_field = base256}).end()).at(0).size == 3);
  const TarEntry without{.name = "a", .data = "abcd", .size_field = "00000000000"};
  CHECK(scan(TarBytes().pax("size", "4").add(without).end()).at(0).size == 4);
  refused(TarBytes().pax("size", "4").add({"a", "abc"}).end(),
          {"the PAX header says 4 bytes, the member's own 3"});
  refused(TarBytes().pax("size", "99999999").add(without).end(), {"cut off", "99999999"});
  refused(TarBytes().pax("size", "-1").add(without).end(), {"no number"});
  refused(TarBytes().pax("size", "3", 'g').add(without).end(), {"gives all members one size"});
  base256[0] = '\xff';
  refused(TarBytes().add({.name = "a", .data = "abc", .size_field = base256}).end(), {"size is no number"});
  refused(TarBytes().add({.name = "a", .size_field = std::string(12, '\x80')}).end(), {"size is no number"});
  refused(TarBytes().add({.name = "a", .size_field = "77777777777"}).end(), {"cut off", "8589934591"});
  refused(TarBytes().add({.name = "a", .size_field = "12x"}).end(), {"size is no number"});
}

TEST_CASE("what is no regular file is passed over") {
  TarBytes tar;
  for (const char type : {'1', '2', '3', '4', '5', '6'}) tar.add({.name = "../../etc/x", .type = type});
  tar.add({"folder/", ""}).add({"a", "1"}).add({.name = "old", .data = "2", .type = '\0'}).end();
  const auto members = scan(tar);
  REQUIRE(members.size() == 2);
  CHECK(members[0].name == "a");
  CHECK(members[1].name == "old");
  refused(TarBytes().add({.name = "s", .type = 'S'}).end(), {"sparse"});
  refused(TarBytes().pax("GNU.sparse.major", "1").add({"s", ""}).end(), {"sparse"});
}

TEST_CASE("damaged archives are refused, by the name of the member") {
  refused(TarBytes().add({"good", "1"}).add({.name = "bad", .data = "2", .checksum_change = 1}).end(),
          {"a.tar", "offset 1024", "'good'", "checksum"});
  refused(TarBytes().add({"good", "1"}), {"'good'", "no end mark"});
  refused(TarBytes().add({"good", "1"}).end(1).add({"hidden", "2"}).end(), {"data follows"});
  const std::string huge(70000, 'x');
  refused(TarBytes().add({.name = "L", .data = huge, .type = 'L'}).end(), {"70000 bytes; at most 65536"});
  refused(TarBytes().add({.name = "L", .data = huge.substr(0, 5000), .type = 'L'}).add({"a", ""}).end(),
          {"a name of 5000 bytes"});
  refused(TarBytes().pax("path", std::string("a\0b", 3)).add({"a", ""}).end(), {"a name of 3 bytes"});
  for (const char* record : {"x", "5 a=b\n", "99 a=b\n", "7 abcd\n", "6 a=bc", "0 =\n"}) {
    INFO(record);
    refused(TarBytes().add({.name = "p", .data = record, .type = 'x'}).add({"a", ""}).end(), {"PAX header"});
  }
}

TEST_CASE("an archive with an end too early or a wrong byte ends in an error, not in a crash") {
  TarBytes tar;
  tar.add({"a", "1"}).pax("path", "long/name").add({"b", "22"});
  tar.add({.name = "L", .data = std::string(120, 'l'), .type = 'L'}).add({"c", "3"});
  const auto use = [](const std::filesystem::path& path) { scan(path); };
  expect_truncations_refused(tar.str(), use);
  const std::size_t bytes = tar.str().size();
  CHECK(survive_wrong_bytes(tar.end().str(), use, bytes) > 0);
}

TEST_CASE("old GNU headers have times where ustar has a prefix") {
  const auto members =
      scan(TarBytes().add({.name = "a.txt", .data = "1", .prefix = "14623450000", .magic = "ustar  "}).end());
  REQUIRE(members.size() == 1);
  CHECK(members[0].name == "a.txt");
}

}  // namespace leat::test
