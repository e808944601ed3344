// Compressed tars, read from front to back.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/formats/registry.h"
#include "leat/datasets/formats/webdataset/webdataset.h"
#include "tests/datasets/support/gzip.h"
#include "tests/datasets/support/mds_bytes.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

const WebDatasetOptions kUncached{.index = {.place = IndexPlace::nowhere}};
constexpr std::size_t kSamples = 6;

// Members of 300 KB among small ones, so that streams are inflated in many parts, and one of zeros, of which much
// comes out of few bytes.
std::string archive() {
  TarBytes tar;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::string key = "dir/" + std::to_string(i);
    std::string data(i == 4 ? 3'000'000 : i % 2 == 0 ? 300'000 : 10, '\0');
    for (std::size_t k = 0; i != 4 && k < data.size(); ++k) data[k] = static_cast<char>((k * 7919 + i) >> 3);
    tar.add({key + ".bin", data}).add({key + ".cls", std::to_string(i)});
  }
  return tar.end().str();
}

SourceLocation location_of(const std::string& where, bool is_sequential) {
  return {.format = SourceFormat::webdataset,
          .where = where,
          .is_sequential = is_sequential,
          .options = {{"index", "nowhere"}}};
}

void check_same(const SampleSource& source, const SampleSource& wanted, std::size_t index) {
  INFO(index);
  StoredSample a, b;
  source.read(index, {}, a);
  wanted.read(index, {}, b);
  CHECK(source.key(index) == wanted.key(index));
  REQUIRE(a.fields().size() == b.fields().size());
  for (std::size_t i = 0; i < a.fields().size(); ++i) {
    CHECK(a.fields()[i].name == b.fields()[i].name);
    CHECK(a.fields()[i].encoding == b.fields()[i].encoding);
    CHECK(a.fields()[i].text() == b.fields()[i].text());
  }
}

}  // namespace

TEST_CASE("compressed tars hold the samples of plain ones, in order and out of it") {
  const TemporaryFolder folder;
  const std::string tar = archive();
  const WebDatasetSource plain(std::vector<std::string>{folder.write("p.tar", tar)}, kUncached);
  const std::size_t half = tar.size() / 2;
  const std::vector<std::string> files{
      folder.write("a.tar.gz", gzipped(tar)),
      folder.write("b.tgz", gzipped(tar.substr(0, half)) + gzipped(tar.substr(half))),
      folder.write("c.tar.zst", zstd_compressed(tar)),
      folder.write("d.tar.zst", zstd_compressed(tar.substr(0, half)) + zstd_compressed(tar.substr(half))),
      folder.write("e.tar", tar)};
  for (const std::string& file : files) {
    INFO(file);
    const TarStreamSource source({file}, kUncached);
    CHECK(source.is_sequential());
    REQUIRE(source.size() == kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) check_same(source, plain, i);
    for (const std::size_t i : {3U, 0U, 5U, 5U, 1U}) check_same(source, plain, i);
    StoredSample sample;
    source.read(4, FieldChoice({"cls"}), sample);
    CHECK(integer_of(sample.fields()[0]) == 4);
  }
  const TarStreamSource all(files, kUncached);
  REQUIRE(all.size() == 5 * kSamples);
  for (std::size_t i = 0; i < all.size(); ++i) {
    StoredSample sample;
    all.read(i, FieldChoice({"cls"}), sample);
    CHECK(integer_of(sample.fields()[0]) == static_cast<std::int64_t>(i % kSamples));
  }
}

TEST_CASE(
    "a compressed tar is refused by name where samples are read at random, and taken where they are not") {
  const TemporaryFolder folder;
  const std::string zst = folder.write("x.tar.zst", zstd_compressed(archive()));
  const std::string disguised = folder.write("y/y.tar", gzipped(archive()));
  for (const std::string& where : {zst, folder.path().string(), disguised}) {
    expect_error<DataError>([&] { open_source(location_of(where, false)); },
                            {"x.tar.zst" == where.substr(where.size() - 9) ? "zstd" : "",
                             "compressed as a whole", "leat-convert"});
    CHECK(open_source(location_of(where, true))->size() == kSamples);
  }
  CHECK(recognize_source(zst) == SourceFormat::webdataset);
  CHECK(recognize_source(folder.path()) == SourceFormat::webdataset);
}

TEST_CASE("a folder with one shard under two suffixes is refused, and a pattern says which is meant") {
  const std::string tar = archive();
  const std::vector<std::pair<std::string, std::string>> files{{"x.tar", tar},
                                                               {"x.tar.gz", gzipped(tar)},
                                                               {"x.tar.zst", zstd_compressed(tar)},
                                                               {"x.tgz", gzipped(tar)}};
  for (std::size_t a = 0; a < files.size(); ++a) {
    for (std::size_t b = a + 1; b < files.size(); ++b) {
      const TemporaryFolder folder;
      for (const auto& [name, bytes] : {files[a], files[b]}) folder.write(name, bytes);
      folder.write("x-1.tar", tar);
      for (const bool is_sequential : {false, true}) {
        expect_error<DataError>([&] { open_source(location_of(folder.path(), is_sequential)); },
                                {folder.path().string(), "'" + files[a].first + "'",
                                 "'" + files[b].first + "'", "twice", "pattern"});
      }
      CHECK(open_source(location_of(folder / files[b].first, true))->size() == kSamples);
    }
  }
}

TEST_CASE("a compressed tar that is cut off or damaged anywhere is an error, or holds what it held") {
  const TemporaryFolder folder;
  TarBytes tar;
  for (int i = 0; i < 3; ++i) tar.add({std::to_string(i) + ".cls", "7"});
  for (const std::string& whole : {gzipped(tar.end().str()), zstd_compressed(tar.str())}) {
    const auto try_to_read = [&](const std::string& bytes) {
      const TarStreamSource source({folder.write("x", bytes)}, kUncached);
      StoredSample sample;
      for (std::size_t i = 0; i < source.size(); ++i) source.read(i, {}, sample);
    };
    try_to_read(whole);
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      INFO(cut << " of " << whole.size());
      expect_error<DataError>([&] { try_to_read(whole.substr(0, cut)); }, {"x"});
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      try {
        try_to_read(damaged);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace leat::test
