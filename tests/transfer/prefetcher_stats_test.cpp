// What a prefetcher measures of itself.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

#include "leat/transfer/prefetcher.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"

using namespace leat;
using namespace leat::detail;

using test::ScriptedDevice;
using test::ScriptedSource;

namespace {

constexpr std::chrono::milliseconds kPause(20);

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

TEST_CASE("the time in which the consumer's stream waits for the loader is measured") {
  ScriptedSource source({.batches = 5, .on_next = [] { std::this_thread::sleep_for(kPause); }});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  CHECK(feed.stats().wait_share() == 0);
  for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, stream)) stream.ref().synchronize();
  const PrefetcherStats stats = feed.stats();
  REQUIRE(stats.devices.size() == 1);
  CHECK(stats.devices[0].device == &host_device());
  CHECK(stats.devices[0].batches == 5);
  CHECK(stats.devices[0].copied_bytes == 5 * source.layout().bytes());
  CHECK(stats.devices[0].copy_seconds > 0);
  CHECK(stats.devices[0].copy_bandwidth() > 0);
  CHECK(stats.direct_batches == 5);
  CHECK(stats.bounced_batches == 0);
  CHECK(stats.seconds >= 5 * seconds(kPause));
  CHECK(stats.wait_share() > 0);
  CHECK(stats.wait_share() <= 1);
}

TEST_CASE("time between epochs is nobody's, and figures grow from epoch to epoch") {
  ScriptedSource source({.batches = 3});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, stream)) continue;
  const double before = feed.stats().seconds;
  std::this_thread::sleep_for(kPause);
  CHECK(feed.stats().seconds == before);
  for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(1, stream)) continue;
  stream.ref().synchronize();
  CHECK(feed.stats().seconds > before);
  CHECK(feed.stats().devices[0].batches == 6);
}

TEST_CASE("batches that nobody takes are not measured") {
  ScriptedSource source({.batches = 8});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 3});
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {  // more than there are timings
    feed.start_epoch(epoch);
    REQUIRE(feed.next(stream).has_value());
  }
  stream.ref().synchronize();
  CHECK(feed.stats().devices[0].batches == 50);
}

TEST_CASE("batches that are copied through page-locked buffers are counted") {
  ScriptedSource source({.batches = 4});
  ScriptedDevice device;
  device.refuse_pin = "no";
  device.go_free();
  const Stream stream = device.make_stream();
  Prefetcher feed(source.source(), device, {.on_warning = [](const std::string&) {}});
  for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, stream)) continue;
  CHECK(feed.stats().bounced_batches == 4);
  CHECK(feed.stats().direct_batches == 0);
}
