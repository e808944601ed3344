#include "leat/datasets/formats/tar/tar_index.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/support/tar_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

std::string split(std::string_view name) {
  const auto parts = split_member_name(name);
  return parts ? std::string(parts->key) + " | " + std::string(parts->suffix) : "-";
}

}  // namespace

TEST_CASE("names are split as webdataset splits them") {
  CHECK(split("dir/a.seg.PNG") == "dir/a | seg.PNG");
  CHECK(split("000012.jpg") == "000012 | jpg");
  CHECK(split("v1.0/a.jpg") == "v1.0/a | jpg");
  CHECK(split("a.") == "a | ");
  CHECK(split("a/.b.jpg") == "a/ | b.jpg");
  CHECK(split("x.y/a/.b.jpg") == "x.y/a/ | b.jpg");
  for (const char* name :
       {"._a.jpg", ".b", "noext", "dir.x/noext", "x.y/.b.jpg", "", "__meta__", "__meta__/a.jpg"}) {
    INFO(name);
    CHECK(split(name) == "-");
  }
  CHECK(split("x__meta__.jpg") == "x__meta__ | jpg");
}

TEST_CASE("adjacent members with one key are a sample") {
  const TemporaryFolder folder;
  const FileReader shard(folder.write("a.tar", TarBytes()
                                                   .add({"s/0.cls", "3"})
                                                   .add({"s/0.JPG", "xyz"})
                                                   .add({"README", ""})
                                                   .add({"s/1.jpg", "q"})
                                                   .add({"s/0.jpg", "again"})
                                                   .end()
                                                   .str()));
  TarIndex index;
  const auto payload = TarIndex::scan(shard);
  index.add_shard(payload, shard.size(), "a");
  index.add_shard(payload, shard.size(), "b");
  REQUIRE(index.size() == 6);
  CHECK(index.key(0) == "s/0");
  CHECK(index.key(1) == "s/1");
  CHECK(index.key(5) == "s/0");
  CHECK(index.shard_of(2) == 0);
  CHECK(index.shard_of(3) == 1);
  REQUIRE(index.members(0).size() == 2);
  CHECK(index.suffix(index.members(0)[0]) == "cls");
  CHECK(index.suffix(index.members(0)[1]) == "jpg");
  CHECK(index.members(3)[1].offset == 1536);
  CHECK(index.members(3)[1].size == 3);
  CHECK(index.members(5).size() == 1);
}

TEST_CASE("one suffix twice in a sample is an error") {
  const TemporaryFolder folder;
  const FileReader shard(folder.write("a.tar", TarBytes().add({"k.jpg", ""}).add({"k.JPG", ""}).end().str()));
  expect_error<DataError>([&] { TarIndex::scan(shard); }, {"a.tar", "'k'", "'jpg' twice"});
}

TEST_CASE("an index whose members lie outside of the shard adds nothing") {
  const TemporaryFolder folder;
  const FileReader shard(folder.write("a.tar", TarBytes().add({"0.x", "1"}).add({"1.x", "1"}).end().str()));
  const auto payload = TarIndex::scan(shard);
  TarIndex index;
  expect_error<DataError>([&] { index.add_shard(payload, 1536, "idx"); }, {"idx", "outside of its shard"});
  for (std::size_t length = 1; length < payload.size(); ++length) {
    if (length == payload.size() / 2) continue;  // one whole sample
    expect_error<DataError>([&] { index.add_shard(std::span(payload).first(length), shard.size(), "idx"); },
                            {"idx"});
  }
  CHECK(index.size() == 0);
}

}  // namespace leat::test
