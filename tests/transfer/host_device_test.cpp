// What holds of the host device in particular. Under ThreadSanitizer these tests check its locking.
#include <pthread.h>

#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "leat/transfer/device.h"
#include "tests/support/expect_error.h"

using namespace leat;
using test::expect_error;

TEST_CASE("the host has no default stream") {
  const StreamRef none(host_device(), nullptr);
  CHECK(none.handle() == nullptr);
  expect_error<DeviceError>([&] { none.synchronize(); }, {"null stream"});
}

TEST_CASE("streams of the host hand a value round a ring") {
  Device& device = host_device();
  constexpr std::size_t kStreams = 8;
  constexpr int kRounds = 200;
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < kStreams; ++i) streams.push_back(device.make_stream());
  const Event event = device.make_event();  // one for all: each wait means the record before it
  int value = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const Stream& stream : streams) {
      device.wait(stream, event);
      device.enqueue(stream, [&value] { ++value; });
      device.record(event, stream);
    }
  }
  device.synchronize(event.ref());
  CHECK(value == static_cast<int>(kStreams) * kRounds);
}

TEST_CASE("many threads share streams and events of the host") {
  Device& device = host_device();
  const std::array streams{device.make_stream(), device.make_stream()};
  const Event event = device.make_event();
  std::array<int, 2> counts{};  // one for each stream, changed by its work alone
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const std::size_t mine = static_cast<std::size_t>(i + t) % 2;
        device.enqueue(streams[mine], [&counts, mine] { ++counts[mine]; });
        if (i % 3 == 0) device.record(event, streams[mine]);
        if (i % 3 == 1) device.wait(streams[1 - mine], event);
        if (i % 100 == 99) device.synchronize(event.ref());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Stream& stream : streams) device.synchronize(stream.ref());
  CHECK(counts[0] + counts[1] == 4 * 500);
}

TEST_CASE("streams of the host are made and destroyed by many threads") {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&sum] {
      for (int i = 0; i < 20; ++i) {
        const Stream stream = host_device().make_stream();
        host_device().enqueue(stream, [&sum] { ++sum; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == 80);
}

TEST_CASE("work is gone, with what it holds, when a stream of the host is empty") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = held;
  device.enqueue(stream, [held = std::move(held)] {});
  device.synchronize(stream.ref());
  CHECK(watch.expired());
}

TEST_CASE("threads of host streams leave signals to others") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  sigset_t mask;
  sigemptyset(&mask);
  std::array<char, 16> name{};
  device.enqueue(stream, [&] {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    pthread_getname_np(pthread_self(), name.data(), name.size());
  });
  device.synchronize(stream.ref());
  CHECK(sigismember(&mask, SIGTERM) == 1);
  CHECK(sigismember(&mask, SIGINT) == 1);
  CHECK(std::string(name.data()) == "leat-stream");
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  CHECK(sigismember(&own, SIGTERM) == 0);
}

TEST_CASE("work that synchronizes with its own stream is refused") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  device.enqueue(stream, [&] { device.synchronize(stream.ref()); });
  expect_error<DeviceError>([&] { device.synchronize(stream.ref()); }, {"wait for itself"});
}
