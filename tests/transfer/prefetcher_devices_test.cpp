// One prefetcher, several devices: which rows and fields come where. And ragged fields on devices.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>
#include <utility>

#include "leat/loader/data_loader.h"
#include "leat/loader/errors.h"
#include "leat/transfer/host/host_device.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_source.h"
#include "tests/transfer/support/uneven_dataset.h"
#include "tests/transfer/support/view_bytes.h"

using namespace leat;
using namespace leat::detail;

using test::bytes_of;
using test::expect_error;
using test::ScriptedSource;
using test::UnevenDataset;

namespace {

using Bytes = std::vector<std::byte>;

// Several devices of the CPU, each with a stream.
struct Cpus {
  explicit Cpus(std::size_t count) : devices(count) {
    for (Device& device : devices) {
      list.emplace_back(device);
      owned.push_back(device.make_stream());
      streams.push_back(owned.back());
    }
  }
  std::vector<HostDevice> devices;
  std::vector<std::reference_wrapper<Device>> list;
  std::vector<Stream> owned;
  std::vector<StreamRef> streams;
};

// The rows [first, last) of a ragged field, with offsets from 0.
std::pair<Bytes, std::vector<std::int64_t>> ragged_rows(const HostBatch& batch, RowRange rows) {
  const auto offsets = batch.ragged_offsets("tokens").as<std::int64_t>();
  const auto first = static_cast<std::size_t>(offsets[rows.first]);
  const auto last = static_cast<std::size_t>(offsets[rows.last]);
  std::vector<std::int64_t> own(offsets.begin() + static_cast<std::ptrdiff_t>(rows.first),
                                offsets.begin() + static_cast<std::ptrdiff_t>(rows.last) + 1);
  for (std::int64_t& offset : own) offset -= static_cast<std::int64_t>(first);
  return {bytes_of(batch.ragged_values("tokens").rows(first, last)), own};
}

void check_ragged(const DeviceBatch& part, const HostBatch& whole, RowRange rows) {
  const auto [values, offsets] = ragged_rows(whole, rows);
  CHECK((bytes_of(part.ragged_values("tokens")) == values));
  const auto got = part.ragged_offsets("tokens").as<std::int64_t>();
  CHECK((std::vector(got.begin(), got.end()) == offsets));
}

void check_part(const DeviceBatch& part, const HostBatch& whole, RowRange rows) {
  part.stream().synchronize();
  CHECK(part.rows() == rows);
  CHECK(part.size() == rows.size());
  CHECK(part.batch_size() == whole.size());
  CHECK(part.number() == whole.number());
  CHECK(part.epoch() == whole.epoch());
  CHECK(std::ranges::equal(part.indices(), whole.indices().subspan(rows.first, rows.size())));
  CHECK((bytes_of(part["image"]) == bytes_of(whole["image"].rows(rows.first, rows.last))));
  CHECK((bytes_of(part["label"]) == bytes_of(whole["label"].rows(rows.first, rows.last))));
  check_ragged(part, whole, rows);
}

void check_division(std::size_t devices, const DataLoaderOptions& options) {
  const std::size_t batch_size = options.batch_size.value();
  INFO(devices << " devices, " << batch_size << " rows");
  const UnevenDataset data(batch_size * 5 + batch_size / 2 + 1);
  DataLoader expected(data, options), loader(data, options);
  Cpus cpus(devices);
  Prefetcher feed(loader, cpus.list);
  for (const std::uint64_t epoch : {0, 3}) {
    expected.start_epoch(epoch);
    for (const std::vector<DeviceBatch>& parts : feed.epoch(epoch, cpus.streams)) {
      const HostBatch whole = expected.next().value();
      const std::vector<RowRange> chunks = chunk_rows(whole.size(), devices);
      REQUIRE(parts.size() == chunks.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(&parts[i].stream().device() == &cpus.devices[i]);
        check_part(parts[i], whole, chunks[i]);
      }
    }
    CHECK_FALSE(expected.next().has_value());
  }
}

}  // namespace

TEST_CASE("several devices divide the rows of each batch, those of ragged fields too") {
  check_division(1, {.batch_size = 7, .shuffle = true});
  check_division(2, {.batch_size = 8, .shuffle = true});
  check_division(3, {.batch_size = 8, .num_workers = 2});
  check_division(4, {.batch_size = 10, .shuffle = true, .num_workers = 3});
  check_division(4, {.batch_size = 4});
  check_division(2,
                 {.batch_size = 64, .shuffle = true, .num_workers = 2, .worker_kind = WorkerKind::threads});
}

TEST_CASE("fields so small that half of their rows need the room of all are divided, too") {
  ScriptedSource source({.rows = 2});
  Cpus cpus(2);
  Prefetcher feed(source.source(), cpus.list);
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, cpus.streams)) {
    auto slot = ScriptedSource::slot_bytes(source.layout(), 0, parts[0].number());
    const TensorView labels = source.layout().view(1, slot.data(), 2);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].stream().synchronize();
      CHECK((bytes_of(parts[i]["label"]) == bytes_of(labels.rows(i, i + 1))));
    }
  }
}

TEST_CASE("a field may have a device of its own, which gets all rows of it") {
  const UnevenDataset data(23);
  const DataLoaderOptions options{.batch_size = 9};
  for (const bool is_listed : {true, false}) {
    INFO("the labels' device " << (is_listed ? "also gets a chunk" : "gets only them"));
    DataLoader expected(data, options), loader(data, options);
    Cpus cpus(3);
    if (!is_listed) cpus.list.pop_back();
    Prefetcher feed(loader, cpus.list, {.placements = {{"label", &cpus.devices[2]}}});
    REQUIRE(feed.devices().size() == 3);
    for (const std::vector<DeviceBatch>& parts : feed.epoch(0, cpus.streams)) {
      const HostBatch whole = expected.next().value();
      const DeviceBatch& last = parts.back();
      last.stream().synchronize();
      CHECK(&last.stream().device() == &cpus.devices[2]);
      CHECK((bytes_of(last["label"]) == bytes_of(whole["label"])));
      CHECK(last.rows() == (is_listed ? chunk_rows(whole.size(), 3)[2] : RowRange{0, whole.size()}));
      parts[0].stream().synchronize();
      CHECK((bytes_of(parts[0]["image"]) == bytes_of(whole["image"].rows(0, parts[0].size()))));
      expect_error<ArgumentError>([&] { parts[0]["label"]; }, {"\"label\"", "\"image\"", "\"tokens\""});
      if (!is_listed) expect_error<ArgumentError>([&] { last["image"]; }, {"\"image\"", "\"label\""});
    }
  }
}

TEST_CASE("a ragged field with a device of its own arrives whole") {
  const UnevenDataset data(23);
  const DataLoaderOptions options{.batch_size = 9};
  DataLoader expected(data, options), loader(data, options);
  Cpus cpus(2);
  Prefetcher feed(loader, cpus.list, {.placements = {{"tokens", &cpus.devices[1]}}});
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, cpus.streams)) {
    const HostBatch whole = expected.next().value();
    parts[1].stream().synchronize();
    check_ragged(parts[1], whole, {0, whole.size()});
  }
}

TEST_CASE("a device without a row of a short batch gets its own field, and offsets that begin with 0") {
  const UnevenDataset data(10);
  DataLoader loader(data, {.batch_size = 9});  // the second batch has one row
  Cpus cpus(2);
  Prefetcher feed(loader, cpus.list, {.buffers = 3, .placements = {{"label", &cpus.devices[1]}}});
  feed.start_epoch(0);
  CHECK(feed.next(cpus.streams).size() == 2);
  const std::vector<DeviceBatch> parts = feed.next(cpus.streams);
  REQUIRE(parts.size() == 2);
  cpus.streams[1].synchronize();
  CHECK(parts[1].size() == 0);
  CHECK(parts[1]["label"].as<std::int64_t>()[0] == UnevenDataset::label(9));
  CHECK(parts[1]["image"].shape[0] == 0);
  REQUIRE(parts[1].ragged_offsets("tokens").shape == Shape{1});
  CHECK(parts[1].ragged_offsets("tokens").as<std::int64_t>()[0] == 0);
}

TEST_CASE("a batch without rows is an error in its place, and the others come") {
  ScriptedSource source({.batches = 3});
  BatchSource emptied = source.source();
  emptied.next = [next = emptied.next, &source]() -> std::optional<HostBatch> {
    auto batch = next();
    if (!batch || batch->number() != 1) return batch;
    static const BatchLayout layout = source.layout();
    return HostBatch({.epoch = 0, .number = 1, .rows = 0, .layout = &layout}, nullptr);
  };
  Cpus cpus(1);
  Prefetcher feed(std::move(emptied), cpus.devices[0]);
  CHECK(feed.next(cpus.streams[0])->number() == 0);
  expect_error<ArgumentError>([&] { feed.next(cpus.streams[0]); }, {"batch 1", "no rows"});
  CHECK(feed.next(cpus.streams[0])->number() == 2);
  CHECK_FALSE(feed.next(cpus.streams[0]).has_value());
}

TEST_CASE("outputs are computed of each device's rows") {
  const UnevenDataset data(20);
  DataLoader loader(data, {.batch_size = 6});
  Cpus cpus(2);
  Prefetcher feed(loader, cpus.list, {.normalize = {{"image", "float", {.layout = PixelLayout::nhwc}}}});
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, cpus.streams)) {
    for (const DeviceBatch& part : parts) {
      part.stream().synchronize();
      const auto pixels = part["image"].as<std::uint8_t>();
      const auto floats = part["float"].as<float>();
      REQUIRE(floats.size() == pixels.size());
      const float scale = Normalization().scale()[0];
      for (std::size_t i = 0; i < pixels.size(); ++i)
        CHECK(floats[i] == static_cast<float>(pixels[i]) * scale);
    }
  }
}

TEST_CASE("a batch whose ragged rows exceed their bound is an error in its place, and the others come") {
  const UnevenDataset data(40);
  const DataLoaderOptions options{.batch_size = 5};
  DataLoader expected(data, options), loader(data, options);
  Cpus cpus(1);
  std::size_t bound = 0;
  for (std::size_t i = 0; i < data.size(); i += 5) bound = std::max(bound, data.elements(i, i + 5));
  --bound;
  Prefetcher feed(loader, cpus.devices[0], {.ragged_bounds = {{"tokens", bound}}});
  std::size_t errors = 0;
  while (auto whole = expected.next()) {
    if (data.elements(whole->indices().front(), whole->indices().back() + 1) > bound) {
      ++errors;
      expect_error<ArgumentError>(
          [&] { feed.next(cpus.streams[0]); },
          {"\"tokens\"", "batch " + std::to_string(whole->number()), "cpu", std::to_string(bound)});
    } else {
      check_part(feed.next(cpus.streams[0]).value(), *whole, {0, whole->size()});
    }
  }
  CHECK(errors > 0);
  CHECK(errors < 8);
  CHECK_FALSE(feed.next(cpus.streams[0]).has_value());
}

TEST_CASE("a ragged field has no one shape, and a field of fixed shape no offsets") {
  const UnevenDataset data(10);
  DataLoader loader(data, {.batch_size = 5});
  Cpus cpus(1);
  Prefetcher feed(loader, cpus.devices[0]);
  const DeviceBatch batch = feed.next(cpus.streams[0]).value();
  expect_error<ArgumentError>([&] { batch["tokens"]; }, {"\"tokens\"", "ragged"});
  expect_error<ArgumentError>([&] { batch.ragged_values("label"); }, {"\"label\"", "not ragged"});
  expect_error<ArgumentError>([&] { batch.ragged_offsets("nothing"); }, {"\"nothing\"", "\"tokens\""});
  cpus.streams[0].synchronize();
}

TEST_CASE("a buffer is filled again when the parts of all devices are given back") {
  const UnevenDataset data(40);
  DataLoader loader(data, {.batch_size = 8});
  Cpus cpus(2);
  Prefetcher feed(loader, cpus.list, {.buffers = 1});
  for (std::uint64_t number = 0; number < 5; ++number) {
    std::vector<DeviceBatch> parts = feed.next(cpus.streams);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].number() == number);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(number % 2));
    if (number < 4) expect_error<SlotsHeldError>([&] { feed.next(cpus.streams); }, {"all 1 device buffers"});
  }
  CHECK(feed.next(cpus.streams).empty());
}

TEST_CASE("a buffer's fields are at the same addresses in every batch") {
  const UnevenDataset data(200);
  DataLoader loader(data, {.batch_size = 8});
  Cpus cpus(2);
  Prefetcher feed(loader, cpus.list, {.buffers = 3, .normalize = {{"image", "float", {}}}});
  {
    const auto first = feed.next(cpus.streams), second = feed.next(cpus.streams),
               third = feed.next(cpus.streams);
    CHECK(std::set{first[0].buffer(), second[0].buffer(), third[1].buffer()} ==
          std::set<std::size_t>{0, 1, 2});
  }
  std::map<std::size_t, std::array<void*, 8>> addresses;
  for (const std::uint64_t epoch : {0, 1}) {
    for (const std::vector<DeviceBatch>& parts : feed.epoch(epoch, cpus.streams)) {
      std::array<void*, 8> now{};
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(parts[i].buffer() == parts[0].buffer());
        now[4 * i] = parts[i]["image"].data;
        now[4 * i + 1] = parts[i]["float"].data;
        now[4 * i + 2] = parts[i].ragged_values("tokens").data;
        now[4 * i + 3] = parts[i].ragged_offsets("tokens").data;
      }
      CHECK(addresses.try_emplace(parts[0].buffer(), now).first->second == now);
    }
  }
  CHECK(addresses.rbegin()->first < 3);
}

TEST_CASE("what does not fit several devices is refused by name") {
  const UnevenDataset data(40);
  DataLoader loader(data, {.batch_size = 5});
  Cpus cpus(4);
  const auto make = [&](std::vector<std::reference_wrapper<Device>> devices,
                        const PrefetcherOptions& options = {}) {
    return [&loader, devices, options] { Prefetcher(loader, devices, options); };
  };
  Device& cpu = cpus.devices[0];
  expect_error<ArgumentError>(make({}), {"needs a device"});
  expect_error<ArgumentError>(make({cpu, cpus.devices[1], cpu}), {"cpu", "twice"});
  expect_error<ArgumentError>(make(cpus.list), {"5 rows", "4 devices", "first 3", "never get a row"});
  expect_error<ArgumentError>(make({cpu}, {.placements = {{"labels", &cpu}}}), {"labels"});
  expect_error<ArgumentError>(make({cpu}, {.placements = {{"label", nullptr}}}), {"no device", "\"label\""});
  expect_error<ArgumentError>(make({cpu}, {.placements = {{"label", &cpu}, {"label", &cpus.devices[1]}}}),
                              {"\"label\"", "two devices"});
  Device& other = cpus.devices[1];
  expect_error<ArgumentError>(
      make({cpu}, {.placements = {{"label", &other}, {"image", &other}, {"tokens", &other}}}),
      {"every field", "none"});
  expect_error<ArgumentError>(make({cpu}, {.ragged_bounds = {{"label", 5}}}), {"\"label\"", "fixed shape"});
  expect_error<ArgumentError>(make({cpu}, {.ragged_bounds = {{"tokens", 0}}}), {"\"tokens\"", "0"});
  expect_error<ArgumentError>(make({cpu}, {.normalize = {{"tokens", "x", {}}}}), {"\"tokens\"", "u8 pixels"});
}

TEST_CASE("streams must be those of the prefetcher's devices, in order") {
  const UnevenDataset data(40);
  DataLoader loader(data, {.batch_size = 5});
  Cpus cpus(3);
  Prefetcher feed(loader, {cpus.devices[0], cpus.devices[1]});
  const std::vector<StreamRef> one{cpus.streams[0]}, wrong{cpus.streams[0], cpus.streams[2]},
      right{cpus.streams[0], cpus.streams[1]};
  expect_error<ArgumentError>([&] { feed.next(one); }, {"2 devices", "1 streams"});
  expect_error<ArgumentError>([&] { feed.next(cpus.streams[0]); }, {"2 devices", "1 streams"});
  expect_error<ArgumentError>([&] { feed.next(wrong); }, {"device 1", "cpu"});
  CHECK(feed.next(right).size() == 2);  // nothing was lost
  CHECK(feed.next(right)[0].number() == 1);
}
