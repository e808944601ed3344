// Which files there are, how they are opened, and what is kept about them.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <thread>

#include "leat/datasets/formats/shard_pattern.h"
#include "leat/datasets/io/crc32c.h"
#include "leat/datasets/io/descriptor_share.h"
#include "leat/datasets/io/index_cache.h"
#include "leat/datasets/io/shard_files.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

using Names = std::vector<std::string>;

TEST_CASE("ranges in braces") {
  CHECK(expand_braces("a-{08..11}.tar") == Names{"a-08.tar", "a-09.tar", "a-10.tar", "a-11.tar"});
  CHECK(expand_braces("{0..1}/{2..3}") == Names{"0/2", "0/3", "1/2", "1/3"});
  CHECK(expand_braces("plain.tar") == Names{"plain.tar"});
  CHECK(expand_braces("{000000..000123}").size() == 124);
  for (const char* bad :
       {"{a..b}", "{1..}", "{3..1}", "{1,2}", "{1..2", "1..2}", "}{", "{1..9999999999999999999}"}) {
    INFO(bad);
    expect_error<ArgumentError>([&] { expand_braces(bad); }, {bad});
  }
  expect_error<ArgumentError>([] { expand_braces("{0..999}{0..999}{0..9}"); }, {"more than 1000000 names"});
}

TEST_CASE("the shards of a folder, in byte order") {
  const TemporaryFolder folder;
  for (const char* name : {"b.tar", "a.tar", "note.txt", "sub/c.tar"}) folder.write(name, "");
  CHECK(find_shards(folder.path(), {".tar"}) == Names{folder / "a.tar", folder / "b.tar"});
  expect_error<ArgumentError>([&] { find_shards(folder.path(), {".mds"}); }, {"no file that ends in .mds"});
  CHECK(find_shards(folder / "x-{0..1}.tar", {".tar"}).size() == 2);
}

TEST_CASE("a folder's shard that cannot be reached is an error, not left out") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  folder.write("a.tar", "");
  fs::create_directory(folder / "b.tar");
  fs::create_symlink(folder / "nowhere", folder / "c.tar");  // is missed when it is opened
  CHECK(find_shards(folder.path(), {".tar"}) == Names{folder / "a.tar", folder / "c.tar"});
  fs::create_symlink(std::string(300, 'n'), folder / "d.tar");  // a name longer than file systems take
  expect_error<SystemError>([&] { find_shards(folder.path(), {".tar"}); }, {"d.tar"});
}

namespace {

// All shares of the process but so many.
std::vector<DescriptorShare> take_all_but(std::size_t left) {
  std::vector<DescriptorShare> shares;
  while (DescriptorShare share = DescriptorShare::try_take()) shares.push_back(std::move(share));
  REQUIRE(shares.size() > left);
  shares.resize(shares.size() - left);
  return shares;
}

}  // namespace

TEST_CASE("a share of the process's descriptors is given back once") {
  const auto others = take_all_but(1);
  DescriptorShare first = DescriptorShare::try_take();
  CHECK(first);
  CHECK_FALSE(DescriptorShare::try_take());
  DescriptorShare second = std::move(first);
  CHECK(second);
  CHECK_FALSE(first);
  CHECK_FALSE(DescriptorShare::try_take());
  second = DescriptorShare();
  first = DescriptorShare::try_take();
  CHECK(first);
  CHECK_FALSE(DescriptorShare::try_take());
}

TEST_CASE("shards are opened once while descriptors can be shared out, by any thread") {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 5; ++i)
    paths.push_back(folder.write(std::to_string(i), std::string(10, char('0' + i))));
  std::atomic<int> opened = 0;
  const auto others = take_all_but(2);
  const ShardFiles shards(paths, {}, [&](std::size_t, const FileReader&) { ++opened; });
  const auto read_all = [&] {
    for (std::size_t i = 0; i < 5; ++i) {
      std::vector<std::byte> bytes;
      shards.read(i, 2, 3, bytes);
      if (text_of(bytes) != std::string(3, char('0' + i))) throw Error("wrong bytes");
    }
  };
  read_all();
  CHECK(opened == 5);
  read_all();
  CHECK(opened == 8);  // two are kept open
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(read_all);
  }
  CHECK(opened == 20);
  for (std::size_t i = 0; i < 5; ++i) shards.read_ahead(i, 0, 1);
  CHECK(opened == 20);  // nothing is opened that would not stay open
}

TEST_CASE("datasets share the descriptors that may be kept, and give them back") {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("0", "0123"), folder.write("1", "4567")};
  const auto others = take_all_but(2);
  const auto read_all = [](const ShardFiles& shards) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < shards.size(); ++i) shards.read(i, 1, 2, bytes);
    return std::string(text_of(bytes));
  };
  int opened = 0;
  const ShardFiles::Check count = [&](std::size_t, const FileReader&) { ++opened; };
  {
    const ShardFiles first(paths), second(paths, {}, count);
    CHECK(read_all(first) == "56");
    for (int i = 0; i < 3; ++i) CHECK(read_all(second) == "56");
    CHECK(opened == 6);  // no share is left for the second one
  }
  const ShardFiles third(paths, {}, count);
  for (int i = 0; i < 3; ++i) read_all(third);
  CHECK(opened == 8);
}

TEST_CASE("CRC-32C") {
  CHECK(crc32c(bytes_of("123456789")) == 0xe3069283);
  CHECK(crc32c({}) == 0);
  CHECK(crc32c(std::vector<std::byte>(32)) == 0x8a9136aa);                   // RFC 3720, B.4: zeros
  CHECK(crc32c(std::vector<std::byte>(32, std::byte{0xff})) == 0x62a8ab43);  // and ones
}

namespace {

// Uses the cache once; how often the index was made, and what was accepted.
struct Use {
  Use(const IndexCache& cache, const FileReader& file, std::string_view made = "index") {
    cache.use(
        file, [&] { return ++times_made, bytes_of(made); },
        [&](std::span<const std::byte> payload) {
          if (text_of(payload) == "bad") throw DataError("payload", "it is bad");
          accepted = text_of(payload);
        });
  }
  int times_made = 0;
  std::string accepted;
};

}  // namespace

TEST_CASE("an index is made once for a file as it is") {
  const TemporaryFolder folder;
  const auto path = folder.write("data", "0123");
  const IndexCache cache("kind1", {.place = IndexPlace::cache, .folder = folder / "cache"});
  CHECK(Use(cache, FileReader(path)).times_made == 1);
  const Use again(cache, FileReader(path), "other");
  CHECK(again.times_made == 0);
  CHECK(again.accepted == "index");
  CHECK(Use(IndexCache("kind2", {.place = IndexPlace::cache, .folder = folder / "cache"}), FileReader(path))
            .times_made == 1);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  CHECK(Use(cache, FileReader(path), "newer").accepted == "newer");
  CHECK(Use(cache, FileReader(path)).times_made == 0);
  folder.write("data", "01234");
  CHECK(Use(cache, FileReader(path)).times_made == 1);
}

TEST_CASE("a damaged index is made anew") {
  const TemporaryFolder folder;
  const FileReader file(folder.write("data", "0123"));
  const IndexCache cache("kind", {.place = IndexPlace::beside});
  Use(cache, file);
  CHECK(cache.path_for(file) == folder / "data.kind");
  const FileReader kept(folder / "data.kind");
  std::vector<std::byte> sound;
  kept.read(0, kept.size(), sound);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string changed(text_of(sound));
    changed[at] ^= 1;
    folder.write("data.kind", changed);
    CHECK(Use(cache, file).times_made == 1);
    folder.write("data.kind", text_of(sound).substr(0, at));
    CHECK(Use(cache, file).times_made == 1);
  }
  CHECK(Use(cache, file).times_made == 0);
  expect_error<DataError>([&] { Use(IndexCache("k2", {.place = IndexPlace::beside}), file, "bad"); },
                          {"it is bad"});
}

TEST_CASE("an index that cannot be kept is a warning") {
  const TemporaryFolder folder;
  const FileReader file(folder.write("data", "0123"));
  std::vector<std::string> warnings;
  const IndexCache cache("kind", {.place = IndexPlace::cache,
                                  .folder = folder / "data",  // no folder
                                  .on_warning = [&](const std::string& text) { warnings.push_back(text); }});
  CHECK(Use(cache, file).accepted == "index");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("cannot be kept") != std::string::npos);
  const IndexCache none("kind", {.place = IndexPlace::nowhere});
  CHECK(Use(none, file).times_made == 1);
  CHECK(Use(none, file).times_made == 1);
  CHECK(!std::filesystem::exists(folder / "data.kind"));
}

}  // namespace leat::test
