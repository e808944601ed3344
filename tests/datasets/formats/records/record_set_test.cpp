#include "leat/datasets/formats/records/record_set.h"

#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

#include "leat/datasets/record_dataset.h"
#include "leat/loader/os/child_process.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;

namespace {

// Shards of a few records each.
RecordWriterOptions small_shards() {
  return {.shard_bytes = 1'000, .zstd = RecordWriterOptions::Zstd::off};
}

std::int64_t label_of(const RecordSet& set, std::size_t index) {
  std::int64_t label = -1;
  const std::span<std::byte> row = std::as_writable_bytes(std::span(&label, 1));
  const std::span<std::byte> rows[] = {row, {}, {}, {}};
  RecordMemory memory;
  set.read(index, memory, rows);
  return label;
}

bool holds_all(const RecordSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (label_of(set, i) != static_cast<std::int64_t>(i)) return false;
  }
  return set.size() == 400;
}

void read_record(const RecordSet& set, std::size_t index) {
  RecordMemory memory;
  set.read(index, memory);
}

}  // namespace

TEST_CASE("a missing shard is an error when one of its records is asked for, until it is there") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 40, small_shards());
  fs::rename(folder / "set/shard-00001.leat", folder / "later");
  const RecordSet set(folder / "set");
  REQUIRE(set.manifest().shards.size() > 2);
  const std::size_t first = set.start_of(1), behind = set.start_of(2);
  CHECK(set.size() == 40);
  CHECK(label_of(set, first - 1) == static_cast<std::int64_t>(first) - 1);
  CHECK(label_of(set, behind) == static_cast<std::int64_t>(behind));
  expect_error<DataError>([&] { read_record(set, first); },
                          {"shard-00001.leat", "not there", std::to_string(first)});
  fs::rename(folder / "later", folder / "set/shard-00001.leat");
  CHECK(label_of(set, first) == static_cast<std::int64_t>(first));
}

TEST_CASE("a shard of another length than the manifest says was not copied whole") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 40, small_shards());
  fs::resize_file(folder / "set/shard-00000.leat", 300);
  const RecordSet set(folder / "set");
  expect_error<DataError>([&] { read_record(set, 0); },
                          {"shard-00000.leat", "300 bytes", "not copied whole"});
  CHECK(label_of(set, 39) == 39);
}

TEST_CASE("shards that have changed places are noticed") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", RecordSchema({{{"x", DType::i64, {}}, Content::values}}),
                      small_shards());
  for (std::int64_t i = 0; i < 400; ++i) writer.add({{bytes_of(std::vector{i})}});
  writer.finish();
  const fs::path zero = folder / "set/shard-00000.leat", one = folder / "set/shard-00001.leat";
  REQUIRE(fs::file_size(zero) == fs::file_size(one));
  fs::rename(zero, folder / "zero");
  fs::rename(one, zero);
  fs::rename(folder / "zero", one);
  const RecordSet set(folder / "set");
  expect_error<DataError>([&] { read_record(set, 0); }, {zero.string(), "shard 1", "shard 0"});
  read_record(set, 399);
  read_record(RecordSet(zero), 0);  // by itself it is as good as before
}

TEST_CASE("a shard from another set is not taken for this one's") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 40, small_shards());
  RecordWriter other(folder / "other", RecordSchema({{{"x", DType::u8, {3}}, Content::values}}));
  other.add({{bytes_of(std::vector<std::uint8_t>{1, 2, 3})}});
  other.finish();
  const auto wanted = fs::file_size(folder / "set/shard-00000.leat");
  std::string text = content_of(folder / "set/leat-records.json");
  fs::rename(folder / "other/shard-00000.leat", folder / "set/shard-00000.leat");
  const std::string old = "\"bytes\":" + std::to_string(wanted);
  text.replace(text.find(old), old.size(),
               "\"bytes\":" + std::to_string(fs::file_size(folder / "set/shard-00000.leat")));
  text.erase(text.rfind(",\"xxh3\""), 26);  // the manifest's own checksum
  replace_content(folder / "set/leat-records.json", text);
  expect_error<DataError>([&] { read_record(RecordSet(folder / "set"), 0); }, {"shard-00000.leat", "schema"});
}

TEST_CASE("a shard can be read alone") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 40, small_shards());
  const RecordSet set(folder / "set"), alone(folder / "set/shard-00001.leat");
  CHECK(alone.size() == set.start_of(2) - set.start_of(1));
  CHECK(label_of(alone, 0) == static_cast<std::int64_t>(set.start_of(1)));
}

TEST_CASE("a field before all ragged ones can be read alone") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 40, small_shards());
  const RecordSet set(folder / "set");
  std::int64_t label = -1;
  CHECK(set.peek(17, 0, std::as_writable_bytes(std::span(&label, 1))));
  CHECK(label == 17);
  std::array<float, 3> point{};
  CHECK_FALSE(set.peek(17, 2, std::as_writable_bytes(std::span(point))));  // stands behind the boxes
}

TEST_CASE("a set of more shards than descriptors can be read", "[process]") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 400, {.shard_bytes = 500, .zstd = RecordWriterOptions::Zstd::off});
  ChildProcess child = ChildProcess::run([&] {
    const rlimit few{40, 40};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
    const RecordSet set(folder / "set");
    if (set.manifest().shards.size() < 60) return 3;
    return holds_all(set) ? 0 : 4;
  });
  CHECK(describe_wait_status(child.wait()) == "exited with status 0");
}

TEST_CASE("sets share out the descriptors of a process", "[process]") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 400, {.shard_bytes = 500, .zstd = RecordWriterOptions::Zstd::off});
  ChildProcess child = ChildProcess::run([&] {
    const rlimit few{64, 64};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
    std::vector<std::unique_ptr<RecordSet>> sets;
    for (int i = 0; i < 8; ++i) sets.push_back(std::make_unique<RecordSet>(folder / "set"));
    for (const auto& set : sets) {
      if (!holds_all(*set)) return 4;
    }
    return 0;
  });
  CHECK(describe_wait_status(child.wait()) == "exited with status 0");
}

}  // namespace leat::test
