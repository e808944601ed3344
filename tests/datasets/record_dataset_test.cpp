#include "leat/datasets/record_dataset.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "leat/datasets/formats/records/record_set.h"
#include "leat/datasets/verify_records.h"
#include "leat/loader/data_loader.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;
using Zstd = RecordWriterOptions::Zstd;

namespace {

void check_sample(const Dataset& dataset, std::size_t i) {
  const OneSample sample(dataset, i);
  const Record expected = mixed_sample(i);
  INFO("sample " << i);
  for (std::size_t field = 0; field < 4; ++field) CHECK(sample.bytes(field) == expected.fields[field]);
}

}  // namespace

TEST_CASE("records come back as they were written, in any order") {
  const auto zstd = GENERATE(Zstd::off, Zstd::on, Zstd::automatic);
  const std::size_t alignment = GENERATE(8, 64);
  const TemporaryFolder folder;
  write_mixed(folder / "set", 700, {.shard_bytes = 20'000, .alignment = alignment, .zstd = zstd});
  const RecordDataset dataset(folder / "set");
  REQUIRE(dataset.size() == 700);
  CHECK(RecordSet(folder / "set").manifest().shards.size() > 1);
  for (std::size_t i = 0; i < 700; ++i) check_sample(dataset, i * 3 % 700);
}

TEST_CASE("the schema has the greatest lengths that occur, not the writer's bounds") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 101);
  const RecordDataset dataset(folder / "set");
  CHECK(dataset.schema()[1].max_length == 4);
  CHECK(dataset.schema()[3].max_length == 10);  // "sample 100"
  CHECK(dataset.schema()[1].shape == Shape{2});
  CHECK(dataset.schema()[2].shape == Shape{3});
}

TEST_CASE("writing twice gives the same bytes") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"})
    write_mixed(folder / name, 700, {.shard_bytes = 20'000, .zstd = Zstd::on});
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder / "a")) {
    CHECK(content_of(entry.path()) == content_of(folder / "b" / entry.path().filename()));
    ++files;
  }
  CHECK(files > 2);
}

TEST_CASE("records of other lengths start at multiples of the alignment") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 50, {.alignment = 64, .zstd = Zstd::off});
  const RecordSet set(folder / "set");
  for (std::size_t i = 0; i < 50; ++i) CHECK(set.shard(0).entry(i).offset % 64 == 0);
}

TEST_CASE("bools come back as bools, of fixed shape and ragged") {
  const auto zstd = GENERATE(Zstd::off, Zstd::on);
  const TemporaryFolder folder;
  const RecordSchema schema({{{"truth", DType::boolean, {}}, Content::values},
                             {Field::ragged("mask", DType::boolean, {.max_length = 200}), Content::values},
                             {{"pair", DType::boolean, {2}}, Content::values}});
  const auto truth = [](std::size_t i) { return static_cast<std::uint8_t>(i % 3 == 0); };
  RecordWriter writer(folder / "set", schema, {.zstd = zstd});
  for (std::size_t i = 0; i < 50; ++i) {
    writer.add({{bytes_of(std::vector{truth(i)}), bytes_of(std::vector(4 * i, truth(i))),
                 bytes_of(std::vector{truth(i + 1), truth(i + 2)})}});
  }
  expect_error<ArgumentError>(
      [&] {
        const std::vector<std::uint8_t> one{1}, wrong{1, 2};
        writer.add({{bytes_of(one), bytes_of(one), bytes_of(wrong)}});
      },
      {"pair", "neither 0 nor 1"});
  writer.finish();
  const RecordDataset dataset(folder / "set");
  REQUIRE(dataset.schema()[1].dtype == DType::boolean);
  for (std::size_t i = 0; i < 50; ++i) {
    const OneSample sample(dataset, i);
    CHECK(sample.bytes(0) == bytes_of(std::vector{truth(i)}));
    CHECK(sample.bytes(1) == bytes_of(std::vector(4 * i, truth(i))));
    CHECK(sample.bytes(2) == bytes_of(std::vector{truth(i + 1), truth(i + 2)}));
  }
  DataLoader loader(dataset, {.batch_size = 50});
  const auto batch = loader.next();
  for (std::size_t i = 0; i < 50; ++i) CHECK((*batch)["truth"].as<bool>()[i] == (i % 3 == 0));
}

TEST_CASE("an empty set has no shards and no samples") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 0);
  const RecordDataset dataset(folder / "set");
  CHECK(dataset.size() == 0);
  CHECK(verify_records(folder / "set").empty());
  expect_error<ArgumentError>([&] { OneSample(dataset, 0); }, {"no record 0"});
}

TEST_CASE("an index out of range is an error that names it") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 3);
  expect_error<ArgumentError>([&] { OneSample(RecordDataset(folder / "set"), 3); },
                              {"no record 3", "there are 3"});
}

TEST_CASE("a value that does not suit its field is refused when it is added") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", mixed_schema());
  Record sample = mixed_sample(1);
  sample.fields[1].resize(3);
  expect_error<ArgumentError>([&] { writer.add(sample); }, {"boxes", "3 bytes"});
  sample = mixed_sample(1);
  sample.fields[3].resize(101);
  expect_error<ArgumentError>([&] { writer.add(sample); }, {"name", "101", "max_length 100"});
  sample.fields.pop_back();
  expect_error<ArgumentError>([&] { writer.add(sample); }, {"4 fields, not 3"});
}

TEST_CASE("a folder that holds something is not written to") {
  const TemporaryFolder folder;
  folder.write("set/precious", "data");
  expect_error<ArgumentError>([&] { RecordWriter(folder / "set", mixed_schema()); }, {"not empty"});
  CHECK(content_of(folder / "set/precious") == "data");
}

TEST_CASE("a set that was not finished is none") {
  const TemporaryFolder folder;
  {
    RecordWriter writer(folder / "set", mixed_schema(), {.shard_bytes = 500, .zstd = Zstd::off});
    for (std::size_t i = 0; i < 600; ++i) writer.add(mixed_sample(i));
  }
  expect_error<DataError>([&] { RecordSet(folder / "set"); }, {"leat-records.json", "not finished"});
  for (const auto& entry : fs::directory_iterator(folder / "set")) {
    INFO(entry.path());
    CHECK(entry.path().extension() == ".leat");  // whole shards, and nothing under a temporary name
    CHECK(RecordSet(entry.path()).size() > 0);
  }
}

TEST_CASE("options out of range are refused") {
  const TemporaryFolder folder;
  const auto write = [&](const RecordWriterOptions& options) {
    RecordWriter(folder / "set", mixed_schema(), options);
  };
  expect_error<ArgumentError>([&] { write({.shard_bytes = 0}); }, {"shards of 0 bytes"});
  expect_error<ArgumentError>([&] { write({.alignment = 48}); }, {"power of two", "48"});
  expect_error<ArgumentError>([&] { write({.zstd_level = 23}); }, {"levels 1 to 22"});
}

TEST_CASE("loaders of 0 and 2 workers deliver the records' bytes", "[process]") {
  const int workers = GENERATE(0, 2);
  const TemporaryFolder folder;
  write_mixed(folder / "set", 103, {.shard_bytes = 3'000});
  const RecordDataset dataset(folder / "set");
  DataLoader loader(dataset, {.batch_size = 10, .num_workers = workers});
  std::size_t seen = 0;
  while (const auto batch = loader.next()) {
    for (const std::int64_t label : (*batch)["label"].as<std::int64_t>()) {
      CHECK(label == static_cast<std::int64_t>(seen));
      ++seen;
    }
    const auto points = (*batch)["point"].as<float>();
    CHECK(points[1] == static_cast<float>(seen - batch->size()) + 0.5F);
    CHECK(batch->text("name", 0) == "sample " + std::to_string(seen - batch->size()));
    CHECK(batch->ragged<std::uint16_t>("boxes").length(2) == (seen - batch->size() + 2) % 5);
  }
  CHECK(seen == 103);
}

}  // namespace leat::test
