// In which order a prefetcher uses slots, buffers and streams, on a device where nothing runs by itself.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <latch>
#include <random>
#include <thread>

#include "leat/loader/errors.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"

using namespace leat;
using namespace leat::detail;

using test::ScriptedDevice;
using test::ScriptedSource;
using Names = std::vector<std::string>;

namespace {

// Without normalization a batch is four operations on the copy stream.
const Names kBatch{"wait", "copy", "record", "record"};

// A prefetcher on a scripted device, and the two streams. At the end everything runs, so that nobody waits
// for ever.
struct Scene {
  explicit Scene(ScriptedSource::Options options, PrefetcherOptions how = {}) : source(std::move(options)) {
    for (std::size_t slot = 0; slot < source.slots(); ++slot) {
      device.guard(source.slot(slot), [this, slot] { return source.is_leased(slot); });
    }
    feed.emplace(source.source(), device, std::move(how));
    copies = device.streams()[1];
    outputs = device.streams().back();
  }
  ~Scene() {
    device.go_free();
    feed.reset();
  }

  ScriptedSource source;
  ScriptedDevice device;
  Stream consumer = device.make_stream();
  std::optional<Prefetcher> feed;
  StreamRef copies = consumer;   // until the prefetcher has made its own
  StreamRef outputs = consumer;  // the copies' stream if there are no outputs
};

}  // namespace

TEST_CASE("a batch is one copy, and its slot is leased until the copy has run") {
  Scene scene({.batches = 1, .slots = 1});
  scene.feed->start_epoch(0);
  const auto batch = scene.feed->next(scene.consumer);
  scene.device.await_queued(scene.copies, 4);
  CHECK(scene.device.queued(scene.copies) == kBatch);
  CHECK(scene.device.queued(scene.consumer) == Names{"wait"});
  CHECK(scene.source.is_leased(0));
  CHECK(scene.device.step(scene.copies));  // wait: the buffer was never used
  CHECK(scene.device.step(scene.copies));  // copy
  CHECK(scene.source.is_leased(0));        // nobody knows yet
  CHECK_FALSE(scene.device.step(scene.consumer));
  CHECK(scene.device.step(scene.copies));          // record: the slot may go
  CHECK_FALSE(scene.device.step(scene.consumer));  // but the outputs are not there yet
  CHECK(scene.device.step(scene.copies));
  CHECK(scene.device.step(scene.consumer));
  CHECK(scene.device.ran(scene.copies, "copy") == 1);
  CHECK(scene.device.violations().empty());
}

TEST_CASE("a prefetcher that goes keeps its slots until the copies from them have run") {
  std::atomic<int> calls{0};
  std::latch second(1);
  Scene scene({.batches = 2, .slots = 2, .on_next = [&] {
                 if (++calls == 2) second.wait();
               }});
  scene.feed->start_epoch(0);
  scene.device.await_queued(scene.copies, 4);
  std::jthread ending([&] { scene.feed.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it ends while the source is asked
  second.count_down();
  // Where the slots were given back at once, they would be by the end of this.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (scene.source.is_leased(0) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  const bool kept = scene.source.is_leased(0);
  scene.device.go_free();
  ending.join();
  CHECK(kept);
  CHECK_FALSE(scene.source.is_leased(0));
  CHECK(scene.device.violations().empty());
}

TEST_CASE("outputs are computed behind the copy, on another stream") {
  Scene scene({.batches = 1}, {.normalize = {{"image", "a", {}}, {"image", "b", {}}}});
  const auto batch = scene.feed->next(scene.consumer);
  scene.device.await_queued(scene.outputs, 4);
  CHECK(scene.device.queued(scene.copies) == Names{"wait", "wait", "copy", "record"});
  CHECK(scene.device.queued(scene.outputs) == Names{"wait", "normalize", "normalize", "record"});
  CHECK_FALSE(scene.device.step(scene.outputs));  // the copy comes first
  scene.device.run(scene.copies);
  CHECK_FALSE(scene.device.step(scene.consumer));  // the outputs are not there yet
  scene.device.run(scene.outputs);
  CHECK(scene.device.step(scene.consumer));
}

TEST_CASE("a batch that nobody took is not overwritten before its outputs are computed") {
  Scene scene({.batches = 1}, {.buffers = 1, .normalize = {{"image", "a", {}}}});
  scene.feed->start_epoch(0);
  scene.device.await_queued(scene.outputs, 3);
  scene.device.run(scene.copies);
  scene.feed->start_epoch(1);
  scene.device.await_queued(scene.copies, 8);
  CHECK(scene.device.step(scene.copies));        // the buffer was never taken
  CHECK_FALSE(scene.device.step(scene.copies));  // its outputs are still to be computed
  scene.device.run(scene.outputs);
  CHECK(scene.device.step(scene.copies));
  CHECK(scene.device.violations().empty());
}

TEST_CASE("a buffer is not filled again before the consumer's stream is done with it") {
  Scene scene({.batches = 2}, {.buffers = 1});
  auto first = scene.feed->next(scene.consumer);
  scene.device.use(scene.consumer, (*first)["image"].data, (*first)["image"].bytes());
  scene.device.await_queued(scene.copies, 4);
  scene.device.run(scene.copies);
  first.reset();  // on the host; the consumer's stream has yet to use it
  const auto second = scene.feed->next(scene.consumer);
  scene.device.await_queued(scene.copies, 8);
  CHECK(scene.device.queued(scene.copies) == kBatch);
  CHECK_FALSE(scene.device.step(scene.copies));
  CHECK(scene.device.queued(scene.consumer) == Names{"wait", "use", "used", "record", "wait"});
  for (int i = 0; i < 3; ++i) CHECK(scene.device.step(scene.consumer));
  CHECK_FALSE(scene.device.step(scene.copies));  // used, but not told yet
  CHECK(scene.device.step(scene.consumer));
  CHECK(scene.device.run(scene.copies) == 4);
  CHECK(scene.device.violations().empty());
}

TEST_CASE("a prefetcher copies the next batch while the consumer is at one") {
  Scene scene({.batches = 3}, {.buffers = 2});
  scene.feed->start_epoch(0);
  const auto first = scene.feed->next(scene.consumer);
  scene.device.await_queued(scene.copies, 8);  // two batches, though one was asked for
  CHECK(scene.device.queued(scene.copies).size() == 8);
}

TEST_CASE("a prefetcher goes on behind a broken sample before the consumer has seen the error") {
  Scene scene({.batches = 3});
  scene.source.fail(0, 0, std::make_exception_ptr(SampleError(0, {})));
  scene.feed->start_epoch(0);
  scene.device.await_queued(scene.copies, 8);
  test::expect_error<SampleError>([&] { scene.feed->next(scene.consumer); });
}

TEST_CASE("54: slots are page-locked while the prefetcher lives, and all batches are copied from there") {
  ScriptedSource source({.slots = 3});
  ScriptedDevice device;
  device.go_free();
  {
    const Stream consumer = device.make_stream();
    Prefetcher feed(source.source(), device);
    CHECK(device.pinned_bytes() == 3 * source.layout().bytes());
    std::size_t batches = 0;
    for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, consumer)) ++batches;
    CHECK(batches == 3);
    CHECK(device.ran(device.streams().back(), "copy") == 3);
    CHECK(device.copies_of_unlocked() == 0);
  }
  CHECK(device.pinned_bytes() == 0);
}

TEST_CASE("waiting, copying and delivering are ranges in the device's profiler, which all end") {
  ScriptedSource source({.batches = 3});
  ScriptedDevice device;
  device.go_free();
  {
    const Stream consumer = device.make_stream();
    Prefetcher feed(source.source(), device);
    for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, consumer)) continue;
  }
  const std::vector<std::string> ended = device.ended_ranges();
  const auto count = [&](const char* name) { return std::count(ended.begin(), ended.end(), name); };
  CHECK(count("leat: wait for a batch to be loaded") == 4);  // the last one finds the end
  CHECK(count("leat: enqueue a batch's copy") == 3);
  CHECK(count("leat: next()") == 4);
  CHECK(device.open_ranges() == 0);
  CHECK(device.violations().empty());
}

TEST_CASE("slots that cannot be page-locked are copied through memory that is, with a warning") {
  ScriptedSource source({});
  ScriptedDevice device;
  device.refuse_pin = "the limit is 64 KiB";
  device.go_free();
  const Stream consumer = device.make_stream();
  Names warnings;
  PrefetcherOptions options;
  options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  Prefetcher feed(source.source(), device, options);
  std::size_t batches = 0;
  for (const DeviceBatch& batch : feed.epoch(0, consumer)) {
    const auto bytes = test::download(consumer, batch["image"].data, batch["image"].bytes());
    auto expected = ScriptedSource::slot_bytes(source.layout(), 0, batches++);
    expected.resize(bytes.size());  // the image is the first field
    CHECK((bytes == expected));
  }
  CHECK(batches == 3);
  CHECK(device.copies_of_unlocked() == 3);  // those of download(), none of the prefetcher's
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("the limit is 64 KiB") != std::string::npos);
  CHECK(warnings[0].find("page-locked") != std::string::npos);
}

TEST_CASE(
    "in any order of the streams, every batch arrives whole and nothing is used too early or too late") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 30; ++round) {
    const std::size_t buffers = 1 + random() % 3;
    Scene scene({.batches = 8, .slots = 3, .max_held_batches = 2}, {.buffers = buffers});
    std::atomic<bool> done{false};
    const auto steps_seed = random();
    std::thread stepper([&] {
      std::mt19937 steps(steps_seed);
      while (!done) {
        scene.device.await_work([&] { return done.load(); });
        scene.device.step_any(steps());
      }
    });
    std::vector<std::vector<std::byte>> seen;
    for (DeviceBatch& batch : scene.feed->epoch(2, scene.consumer)) {
      const TensorView image = batch["image"];
      seen.emplace_back(image.bytes());
      scene.device.use(scene.consumer, image.data, image.bytes());
      scene.device.copy(seen.back().data(), image.data, image.bytes(), scene.consumer);
      scene.device.use(scene.consumer, image.data, image.bytes());
    }
    scene.device.synchronize(scene.consumer.ref());
    done = true;
    scene.device.wake();
    stepper.join();
    REQUIRE(seen.size() == 8);
    for (std::uint64_t number = 0; number < seen.size(); ++number) {
      auto expected = ScriptedSource::slot_bytes(scene.source.layout(), 2, number);
      expected.resize(seen[number].size());  // the image is the first field
      CHECK((seen[number] == expected));
    }
    CHECK(scene.device.ran(scene.copies, "copy") == 8);
    CHECK(scene.source.most_held() <= 1);
    CHECK(scene.device.violations() == Names{});
  }
}
