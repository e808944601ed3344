#include "leat/datasets/io/file_advice.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <thread>

#include "leat/datasets/formats/tfrecord/tfrecord.h"
#include "leat/datasets/formats/webdataset/webdataset.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/record_dataset.h"
#include "leat/datasets/subset.h"
#include "leat/datasets/token_windows.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"

namespace leat::test {

using namespace leat::detail;

namespace {

const IndexOptions kNoIndex{.place = IndexPlace::nowhere};
const std::string kPayload(std::size_t{1} << 20, 'p');

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Whether the file system shows what is in the page cache, and forgets it when it is asked to.
bool forgets(const leat::detail::FileReader& file, std::uint64_t offset) {
  std::byte byte{};
  file.read(offset, {&byte, 1});
  if (!in_page_cache(file.fd(), offset)) return false;
  evict(file.fd());
  return !in_page_cache(file.fd(), offset);
}

// `announce` has a sample fetched that holds kPayload, which stands in the file once.
void expect_fetched(const std::filesystem::path& path, const std::function<void()>& announce) {
  const std::uint64_t offset = content_of(path).find(kPayload) + kPayload.size() / 2;
  const leat::detail::FileReader file(path);
  if (!forgets(file, offset)) {
    std::cout << "SKIPPED: the file system of " << path << " does not show what is in the page cache\n";
    return;
  }
  CHECK(comes_true([&] {
    announce();
    return in_page_cache(file.fd(), offset);
  }));
}

}  // namespace

TEST_CASE(
    "parts of files are asked for until many in a row were there, and again from the first that was not") {
  PageCacheProbe probe;
  unsigned looks = 0;
  for (unsigned i = 0; i < PageCacheProbe::kEvery * (PageCacheProbe::kPatience - 1); ++i) {
    if (!probe.due()) continue;
    ++looks;
    probe.saw(true);
  }
  CHECK(looks == PageCacheProbe::kPatience - 1);
  CHECK_FALSE(probe.warm());
  probe.saw(true);
  CHECK(probe.warm());
  probe.saw(true);
  CHECK(probe.warm());
  looks = 0;
  for (unsigned i = 0; i < 10 * PageCacheProbe::kEveryWarm; ++i) looks += probe.due() ? 1 : 0;
  CHECK(looks == 10);
  probe.saw(false);
  CHECK_FALSE(probe.warm());
  for (unsigned i = 1; i < PageCacheProbe::kPatience; ++i) probe.saw(true);
  CHECK_FALSE(probe.warm());
}

TEST_CASE("ranges and files that are not there are passed over") {
  const TemporaryFolder folder;
  const leat::detail::FileReader file(folder.write("a", "abc"));
  will_need(file.fd(), 0, 0);
  will_need(file.fd(), 100, 100);
  will_need(file.fd(), ~std::uint64_t{0}, ~std::uint64_t{0});
  will_need(-1, 0, 10);
  CHECK_FALSE(in_page_cache(-1, 0));
  CHECK_FALSE(in_page_cache(file.fd(), 3));
}

TEST_CASE("records read ahead, and their subsets") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", RecordSchema({{Field::text("x", kPayload.size()), Content::bytes}}),
                      {.zstd = RecordWriterOptions::Zstd::off});
  for (const std::string& value : {std::string("first"), kPayload, std::string("last")}) {
    writer.add({{bytes_of(value)}});
  }
  writer.finish();
  const RecordDataset dataset(folder / "set");
  REQUIRE(dataset.reads_ahead());
  expect_fetched(folder / "set/shard-00000.leat", [&] { dataset.read_ahead(1); });
  const Subset subset(dataset, {2, 1});
  REQUIRE(subset.reads_ahead());
  expect_fetched(folder / "set/shard-00000.leat", [&] { subset.read_ahead(1); });
}

TEST_CASE("WebDataset reads the chosen members ahead") {
  const TemporaryFolder folder;
  TarBytes tar;
  tar.add({"a.bin", "first"}).add({"b.bin", kPayload}).add({"b.txt", "last"});
  const auto path = folder.write("a.tar", tar.end().str());
  const WebDatasetSource source(path.string(), {.index = kNoIndex});
  REQUIRE(source.reads_ahead());
  expect_fetched(path, [&] { source.read_ahead(1, FieldChoice({"bin"})); });
}

TEST_CASE("TFRecord reads ahead") {
  const TemporaryFolder folder;
  const auto path = folder.write("a.tfrecord", tfrecord("first") + tfrecord(kPayload) + tfrecord("last"));
  const TfRecordSource source(path.string(), {.index = kNoIndex, .parse_examples = false});
  REQUIRE(source.reads_ahead());
  expect_fetched(path, [&] { source.read_ahead(1, {}); });
}

TEST_CASE("windows of tokens read ahead") {
  const TemporaryFolder folder;
  const auto path = folder.write("t.bin", std::string(kPayload.size(), 'a') + kPayload);
  const TokenWindows windows(path, {.length = kPayload.size() / 2, .index = kNoIndex});
  REQUIRE(windows.reads_ahead());
  expect_fetched(path, [&] { windows.read_ahead(1); });
}

TEST_CASE("shards that are damaged, or not there, are passed over") {
  const TemporaryFolder folder;
  const auto path = folder.write("a.tfrecord", tfrecord("first"));
  const TfRecordSource source(path.string(), {.index = kNoIndex, .parse_examples = false});
  std::filesystem::remove(path);
  source.read_ahead(0, {});
  write_mixed(folder / "set", 20);
  std::filesystem::rename(folder / "set/shard-00000.leat", folder / "elsewhere");
  const RecordDataset dataset(folder / "set");
  dataset.read_ahead(7);
}

}  // namespace leat::test
