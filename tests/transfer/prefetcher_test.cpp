// The prefetcher on the host device, over a source whose contents are arithmetic.
#include "leat/transfer/prefetcher.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cmath>
#include <latch>
#include <thread>

#include "leat/loader/errors.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;
using test::ScriptedSource;

namespace {

// All bytes of a batch's fields, which must be those of the source.
void check_batch(const ScriptedSource& source, const DeviceBatch& batch, std::uint64_t epoch,
                 std::uint64_t number) {
  INFO("epoch " << epoch << ", batch " << number);
  CHECK(batch.epoch() == epoch);
  CHECK(batch.number() == number);
  REQUIRE(batch.size() == source.rows_of(number));
  const BatchLayout& layout = source.layout();
  auto slot = ScriptedSource::slot_bytes(layout, epoch, number);
  for (std::size_t field = 0; field < layout.schema().size(); ++field) {
    const TensorView expected = layout.view(field, slot.data(), batch.size());
    const TensorView view = batch[layout.schema()[field].name];
    REQUIRE(view.shape == expected.shape);
    CHECK(view.dtype == expected.dtype);
    const auto* bytes = static_cast<const std::byte*>(expected.data);
    CHECK((test::download(batch.stream(), view.data, view.bytes()) ==
           std::vector<std::byte>(bytes, bytes + expected.bytes())));
  }
  REQUIRE(batch.indices().size() == batch.size());
  for (std::size_t row = 0; row < batch.size(); ++row) {
    CHECK(batch.indices()[row] == number * layout.capacity() + row);
  }
}

void check_epoch(const ScriptedSource& source, Prefetcher& feed, StreamRef stream, std::uint64_t epoch,
                 std::uint64_t batches) {
  for (std::uint64_t number = 0; number < batches; ++number) {
    const auto batch = feed.next(stream);
    REQUIRE(batch.has_value());
    check_batch(source, *batch, epoch, number);
  }
  CHECK_FALSE(feed.next(stream).has_value());
}

template <class E>
std::exception_ptr error(E value) {
  return std::make_exception_ptr(std::move(value));
}

SampleError sample_error(std::uint64_t batch) {
  return SampleError(batch, {.index = 5, .source = "five", .type = "E", .text = "broken", .worker = 0});
}

}  // namespace

TEST_CASE("a prefetcher delivers epoch after epoch") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  for (const std::size_t buffers : {1, 2, 3, 5}) {
    INFO(buffers << " buffers");
    Prefetcher feed(source.source(), host_device(), {.buffers = buffers});
    feed.start_epoch(0);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) check_epoch(source, feed, stream, epoch, 3);
  }
  CHECK(source.leased() == 0);
  CHECK(source.most_held() <= 1);
}

TEST_CASE("a prefetcher is iterated over") {
  ScriptedSource source({.batches = 5});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  for (const std::uint64_t epoch : {4, 9, 2}) {
    std::uint64_t number = 0;
    for (DeviceBatch& batch : feed.epoch(epoch, stream)) check_batch(source, batch, epoch, number++);
    CHECK(number == 5);
  }
  CHECK(source.started() == std::vector<std::uint64_t>{4, 9, 2});
}

TEST_CASE("a prefetcher pulls nothing before it is asked, nor beyond the end of an epoch") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  { const Prefetcher feed(source.source(), host_device()); }
  CHECK(source.calls() == 0);
  {
    Prefetcher feed(source.source(), host_device());
    check_epoch(source, feed, stream, 0, 3);
  }
  CHECK(source.calls() == 4);
}

TEST_CASE("a prefetcher works on a source that allows one lease") {
  ScriptedSource source({.batches = 6, .slots = 1, .max_held_batches = 1});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 3});
  check_epoch(source, feed, stream, 0, 6);
  CHECK(source.most_held() == 0);
}

TEST_CASE("errors of the source come in place of their batch") {
  ScriptedSource source({.batches = 4});
  source.fail(0, 1, error(sample_error(1)));
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  check_batch(source, feed.next(stream).value(), 0, 0);
  expect_error<SampleError>([&] { feed.next(stream); }, {"broken"});
  check_batch(source, feed.next(stream).value(), 0, 2);
  check_batch(source, feed.next(stream).value(), 0, 3);
  CHECK_FALSE(feed.next(stream).has_value());
}

TEST_CASE("a batch that timed out is asked for again") {
  ScriptedSource source({.batches = 2});
  source.fail(0, 1, error(TimeoutError("late")), true);
  const Stream stream = host_device().make_stream();
  {
    Prefetcher feed(source.source(), host_device());
    check_batch(source, feed.next(stream).value(), 0, 0);
    expect_error<TimeoutError>([&] { feed.next(stream); }, {"late"});
    check_batch(source, feed.next(stream).value(), 0, 1);
    CHECK_FALSE(feed.next(stream).has_value());
  }
  CHECK(source.calls() == 4);  // so nothing was asked for between the error and the call after it
}

TEST_CASE("an error at the start of an epoch is thrown by next()") {
  ScriptedSource source({});
  BatchSource failing = source.source();
  failing.start_epoch = [](std::uint64_t epoch) { throw ArgumentError("no epoch " + std::to_string(epoch)); };
  const Stream stream = host_device().make_stream();
  Prefetcher feed(std::move(failing), host_device());
  feed.start_epoch(3);
  expect_error<ArgumentError>([&] { feed.next(stream); }, {"no epoch 3"});
}

TEST_CASE("a prefetcher is abandoned at any point") {
  ScriptedSource source({.batches = 5});
  const Stream stream = host_device().make_stream();
  for (int consumed = 0; consumed <= 6; ++consumed) {
    Prefetcher feed(source.source(), host_device());
    feed.start_epoch(1);
    for (int i = 0; i < consumed; ++i) feed.next(stream);
  }
  CHECK(source.leased() == 0);
}

TEST_CASE("an epoch is abandoned for another at any point") {
  ScriptedSource source({.batches = 5});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  for (std::uint64_t epoch = 1; epoch < 60; ++epoch) {
    feed.start_epoch(epoch);
    for (std::uint64_t number = 0; number < epoch % 6; ++number) {
      const auto batch = feed.next(stream);
      REQUIRE(batch.has_value() == (number < 5));
      if (batch) check_batch(source, *batch, epoch, number);
    }
  }
}

TEST_CASE("a prefetcher that goes waits for the call of the source under way") {
  std::latch inside(1);
  std::latch go(1);
  bool returned = false;
  ScriptedSource source({.on_next = [&] {
    inside.count_down();
    go.wait();
    returned = true;
  }});
  std::thread opener;
  {
    Prefetcher feed(source.source(), host_device());
    feed.start_epoch(0);
    inside.wait();
    opener = std::thread([&] { go.count_down(); });
  }
  CHECK(returned);
  CHECK(source.leased() == 0);
  opener.join();
}

TEST_CASE("batches outlive their prefetcher and go on any thread") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  std::optional<DeviceBatch> first;
  std::optional<DeviceBatch> second;
  {
    Prefetcher feed(source.source(), host_device());
    first = feed.next(stream);
    second = feed.next(stream);
  }
  check_batch(source, *first, 0, 0);
  check_batch(source, *second, 0, 1);
  std::thread([&] { first.reset(); }).join();
  check_batch(source, *second, 0, 1);
}

TEST_CASE("batches are released on other threads while the next are on their way") {
  ScriptedSource source({.batches = 50});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 3});
  std::thread releaser;
  for (std::uint64_t number = 0; number < 50; ++number) {
    auto batch = feed.next(stream);
    REQUIRE(batch.has_value());
    check_batch(source, *batch, 0, number);
    if (releaser.joinable()) releaser.join();
    releaser =
        std::thread([held = std::move(*batch)]() mutable { const DeviceBatch gone = std::move(held); });
  }
  releaser.join();
}

TEST_CASE("a consumer that holds every buffer is told so") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 2});
  auto first = feed.next(stream);
  const auto second = feed.next(stream);
  for (int i = 0; i < 2; ++i) {
    expect_error<SlotsHeldError>([&] { feed.next(stream); },
                                 {"2 device buffers", "PrefetcherOptions::buffers"});
  }
  first.reset();
  check_batch(source, feed.next(stream).value(), 0, 2);
}

TEST_CASE("the end of an epoch needs no buffer") {
  ScriptedSource source({.batches = 2});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 2});
  const auto first = feed.next(stream);
  const auto second = feed.next(stream);
  CHECK_FALSE(feed.next(stream).has_value());
}

TEST_CASE("a batch moves") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 2});
  DeviceBatch batch = feed.next(stream).value();
  DeviceBatch moved = std::move(batch);
  check_batch(source, moved, 0, 0);
  moved = feed.next(stream).value();  // gives the first buffer back
  check_batch(source, moved, 0, 1);
  check_batch(source, feed.next(stream).value(), 0, 2);
}

TEST_CASE("the failure of a consumer's stream arrives as itself") {
  ScriptedSource source({.batches = 100});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  auto batch = feed.next(stream);
  host_device().enqueue(stream, [] { throw test::PlannedError("planned"); });
  batch.reset();
  const auto drain = [&] {
    for (int i = 0; i < 100; ++i) feed.next(stream);
  };
  expect_error<test::PlannedError>(drain, {"planned"});
  expect_error<test::PlannedError>([&] { feed.next(stream); }, {"planned"});
  feed.start_epoch(1);
  expect_error<test::PlannedError>([&] { feed.next(stream); }, {"planned"});
}

TEST_CASE("a buffer whose batch was released on a destroyed stream is not filled again") {
  ScriptedSource source({.batches = 3});
  const Stream other = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 1});
  {
    std::optional<DeviceBatch> batch;
    const Stream stream = host_device().make_stream();
    batch = feed.next(stream);
    while (source.calls() < 2) std::this_thread::yield();  // the second batch waits for the buffer
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // enough to fill it
  expect_error<DeviceError>([&] { feed.next(other); }, {"destroyed"});
}

TEST_CASE("no batch is lost to a stream that is gone") {
  ScriptedSource source({.batches = 3});
  const Stream other = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 1});
  const StreamRef gone = [] {  // the last one that is made: another might get its place
    const Stream stream = host_device().make_stream();
    return stream.ref();
  }();
  expect_error<DeviceError>([&] { feed.next(gone); }, {"destroyed"});
  for (std::uint64_t number = 0; number < 3; ++number) CHECK(feed.next(other).value().number() == number);
}

TEST_CASE("a stream of another device is refused") {
  ScriptedSource source({});
  test::ScriptedDevice other;
  const Stream stream = other.make_stream();
  Prefetcher feed(source.source(), host_device());
  expect_error<ArgumentError>([&] { feed.next(stream); }, {"cpu", "scripted"});
}
