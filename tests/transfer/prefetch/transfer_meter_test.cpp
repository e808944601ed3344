// How long copies take and how long a stream waits for them, in an order of events that the test decides.
#include "leat/transfer/prefetch/transfer_meter.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <latch>

using namespace leat;
using namespace leat::detail;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Scene {
  Device& device = host_device();
  std::latch go{1};  // before the streams, which wait for it
  Stream copies = device.make_stream();
  Stream consumer = device.make_stream();
  TransferMeter meter{device, 2};

  void hold(StreamRef stream) {
    device.enqueue(stream, [this] { go.wait(); });
  }
  void finish() {
    copies.ref().synchronize();
    consumer.ref().synchronize();
  }
};

}  // namespace

TEST_CASE("a stream that asks after the batch is ready has not waited") {
  Scene scene;
  scene.hold(scene.consumer);
  const auto request = scene.meter.ask(scene.consumer);
  const auto copy = scene.meter.start_copy(scene.copies);
  scene.meter.end_copy(copy, {100, 40}, scene.copies);
  scene.meter.ready(copy, scene.copies);
  scene.meter.arrive(request, copy);
  scene.copies.ref().synchronize();
  CHECK(scene.meter.stats().batches == 0);  // the consumer is not there yet
  scene.go.count_down();
  scene.finish();
  const DeviceTransferStats stats = scene.meter.stats();
  CHECK(stats.batches == 1);
  CHECK(stats.copied_bytes == 100);
  CHECK(stats.bounced_bytes == 40);
  CHECK(stats.wait_seconds == 0);
}

TEST_CASE("a stream that asks before has waited until the batch was ready") {
  Scene scene;
  const auto request = scene.meter.ask(scene.consumer);
  scene.consumer.ref().synchronize();
  const auto asked = Clock::now();
  const auto copy = scene.meter.start_copy(scene.copies);
  scene.copies.ref().synchronize();
  const auto started = Clock::now();
  scene.hold(scene.copies);
  scene.meter.end_copy(copy, {100, 40}, scene.copies);
  scene.meter.ready(copy, scene.copies);
  scene.meter.arrive(request, copy);
  CHECK(scene.meter.stats().batches == 0);
  const double waited = since(asked), copied = since(started);
  scene.go.count_down();
  scene.finish();
  const double all = since(asked);
  const DeviceTransferStats stats = scene.meter.stats();
  CHECK(stats.batches == 1);
  CHECK(stats.wait_seconds >= waited);
  CHECK(stats.copy_seconds >= copied);
  CHECK(stats.copy_seconds <= all + waited);
  CHECK(stats.copy_bandwidth() <= 100 / copied);
}

TEST_CASE("requests and copies without the other are not counted, and are used again") {
  Scene scene;
  for (int i = 0; i < 200; ++i) {
    scene.meter.drop_request(scene.meter.ask(scene.consumer));
    const auto copy = scene.meter.start_copy(scene.copies);
    REQUIRE(copy.has_value());
    scene.meter.end_copy(copy, {100, 40}, scene.copies);
    scene.meter.ready(copy, scene.copies);
    scene.meter.drop_copy(copy);
  }
  scene.finish();
  CHECK(scene.meter.stats().batches == 0);
}

TEST_CASE("where more batches are under way than can be measured, the others are not") {
  Scene scene;
  scene.hold(scene.consumer);
  std::size_t measured = 0;
  for (int i = 0; i < 100; ++i) {
    const auto request = scene.meter.ask(scene.consumer);
    const auto copy = scene.meter.start_copy(scene.copies);
    scene.meter.end_copy(copy, {1, 0}, scene.copies);
    scene.meter.ready(copy, scene.copies);
    scene.meter.arrive(request, copy);
    measured += copy && request ? 1 : 0;
  }
  CHECK(measured > 10);
  CHECK(measured < 100);
  scene.go.count_down();
  scene.finish();
  CHECK(scene.meter.stats().batches == measured);
  CHECK(scene.meter.ask(scene.consumer).has_value());
  scene.finish();
}
