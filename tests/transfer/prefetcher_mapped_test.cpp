// Fields that stay in host memory: what may be mapped, where the rows are, and when they are written.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/transfer/host/host_device.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"
#include "tests/transfer/support/uneven_dataset.h"
#include "tests/transfer/support/view_bytes.h"

using namespace leat;
using namespace leat::detail;

using test::bytes_of;
using test::expect_error;
using test::ScriptedDevice;
using test::ScriptedSource;
using test::UnevenDataset;

namespace {

using Bytes = std::vector<std::byte>;

void expect_refused(const PrefetcherOptions& options, std::initializer_list<std::string_view> parts) {
  const UnevenDataset data(10);
  DataLoader loader(data, {.batch_size = 5});
  expect_error<ArgumentError>([&] { Prefetcher feed(loader, host_device(), options); }, parts);
}

TEST_CASE("what cannot be mapped is refused by its name") {
  expect_refused({.mapped = {"nonsense"}}, {"nonsense", "image", "label"});
  expect_refused({.mapped = {"tokens"}}, {"\"tokens\"", "ragged", "mapped"});
  expect_refused({.mapped = {"image", "label", "image"}}, {"\"image\"", "twice", "mapped"});
}

TEST_CASE("a mapped field is not replaced by a result") {
  expect_refused({.normalize = {{"image", "", {}}}, .mapped = {"image"}}, {"\"image\"", "mapped"});
  expect_refused({.normalize = {{"image", "image", {}}}, .mapped = {"image"}}, {"\"image\"", "mapped"});
  expect_refused({.transforms = {FieldOneHot{.field = "label", .classes = 100}}, .mapped = {"label"}},
                 {"\"label\"", "mapped", "name of its own"});
  const BatchMixUp mix{.images = "image", .targets = "target", .alpha = 1, .seed = 1};
  const FieldOneHot targets{.field = "label", .output = "target", .classes = 100};
  expect_refused({.transforms = {targets, mix}, .mapped = {"image"}}, {"\"image\"", "mapped"});
}

TEST_CASE("mapped fields are divided among devices or go to one whole, at addresses that stay") {
  const UnevenDataset data(31);
  const DataLoaderOptions options{.batch_size = 6, .shuffle = true};
  DataLoader loader(data, options), expected(data, options);
  std::array<HostDevice, 2> cpus;
  Device &one = cpus[0], &other = cpus[1];
  const Stream first = one.make_stream(), second = other.make_stream();
  const std::vector<StreamRef> streams{first, second};
  Prefetcher feed(loader, {one, other},
                  {.buffers = 3, .placements = {{"label", &other}}, .mapped = {"label", "image"}});
  std::map<std::pair<std::size_t, std::size_t>, std::pair<void*, void*>> places;
  for (const std::uint64_t epoch : {0, 1, 5}) {
    expected.start_epoch(epoch);
    for (const std::vector<DeviceBatch>& parts : feed.epoch(epoch, streams)) {
      const HostBatch whole = expected.next().value();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const DeviceBatch& part = parts[i];
        part.stream().synchronize();
        const auto [from, to] = part.rows();
        CHECK((bytes_of(part["image"]) == bytes_of(whole["image"].rows(from, to))));
        if (i == 1) CHECK((bytes_of(part["label"]) == bytes_of(whole["label"])));
        const std::pair<void*, void*> here{part["image"].data, i == 1 ? part["label"].data : nullptr};
        CHECK(places.try_emplace({i, part.buffer()}, here).first->second == here);
      }
    }
    CHECK_FALSE(expected.next().has_value());
  }
  CHECK(places.size() == 6);
  CHECK(feed.stats().devices[0].copied_bytes > 0);  // tokens
}

TEST_CASE("transforms read mapped fields") {
  const UnevenDataset data(23);
  DataLoader mapped(data, {.batch_size = 4}), copied(data, {.batch_size = 4});
  const Stream stream = host_device().make_stream();
  const FieldOneHot one_hot{.field = "label", .output = "target", .classes = 70};
  const FieldNormalization normalize{.field = "image", .output = "float"};
  Prefetcher feed(mapped, host_device(),
                  {.normalize = {normalize}, .transforms = {one_hot}, .mapped = {"image", "label"}});
  Prefetcher plain(copied, host_device(), {.normalize = {normalize}, .transforms = {one_hot}});
  plain.start_epoch(0);
  for (const DeviceBatch& batch : feed.epoch(0, stream)) {
    const DeviceBatch expected = plain.next(stream).value();
    stream.ref().synchronize();
    for (const char* const name : {"image", "label", "float", "target"})
      CHECK((bytes_of(batch[name]) == bytes_of(expected[name])));
  }
}

TEST_CASE("if all fields are mapped, nothing is copied") {
  ScriptedSource source({.batches = 5});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.mapped = {"label", "image"}});
  for (const std::uint64_t epoch : {0, 1}) {
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
      auto slot = ScriptedSource::slot_bytes(source.layout(), epoch, batch.number());
      for (std::size_t field = 0; field < 2; ++field) {
        const TensorView expected = source.layout().view(field, slot.data(), batch.size());
        CHECK((bytes_of(batch[field == 0 ? "image" : "label"]) == bytes_of(expected)));
      }
      CHECK(source.leased() <= 1);  // of the batch that is written next
    }
  }
  stream.ref().synchronize();
  CHECK(feed.stats().devices[0].batches == 10);
  CHECK(feed.stats().devices[0].copied_bytes == 0);
}

// The prefetcher's stream is the second that is made.
TEST_CASE("a buffer's mapped fields are written when the consumer's stream has passed its last batch") {
  ScriptedSource source({.batches = 4});
  ScriptedDevice device;
  const Stream consumer = device.make_stream();
  {
    Prefetcher feed(source.source(), device, {.buffers = 2, .mapped = {"image"}});
    const StreamRef copies = device.streams()[1];
    std::optional<DeviceBatch> batch = feed.next(consumer);
    const TensorView image = (*batch)["image"];
    const Bytes before = bytes_of(image);
    const std::size_t buffer = batch->buffer();
    CHECK(feed.next(consumer)->buffer() != buffer);  // given back, but not passed
    Bytes seen;
    device.enqueue(consumer, [&] { seen = bytes_of(image); });
    batch.reset();
    device.await_queued(copies, 2 * 4);  // two batches
    device.run(copies);
    device.await_host_wait();  // of the prefetcher's thread, which has the third batch
    CHECK(source.calls() == 3);
    CHECK(bytes_of(image) == before);
    device.run(consumer);
    CHECK(seen == before);
    device.go_free();
    for (std::uint64_t number = 2; number < 4; ++number) {
      const auto next = feed.next(consumer);
      REQUIRE(next.has_value());
      auto slot = ScriptedSource::slot_bytes(source.layout(), 0, number);
      CHECK((bytes_of((*next)["image"]) == bytes_of(source.layout().view(0, slot.data(), next->size()))));
    }
  }
  CHECK(device.violations().empty());
}

}  // namespace
