#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <numeric>
#include <utility>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

void runs_in_order(Device& device) {
  const Stream stream = device.make_stream();
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) device.enqueue(stream, [&order, i] { order.push_back(i); });
  device.synchronize(stream.ref());
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(order == expected);
}

void runs_beside_the_host(Device& device) {
  const Stream stream = device.make_stream();
  std::latch go(1);
  int value = 0;
  device.enqueue(stream, [&] { go.wait(); });
  device.enqueue(stream, [&] { value = 7; });
  go.count_down();  // reached, so neither enqueue() ran its work
  stream.ref().synchronize();
  CHECK(value == 7);
}

void streams_run_beside_each_other(Device& device) {
  const Stream blocked = device.make_stream();
  const Stream free = device.make_stream();
  const DeviceBuffer buffer = device.allocate(1000);
  std::latch go(1);
  device.enqueue(blocked, [&] { go.wait(); });
  device.fill_zero(buffer.data(), buffer.size(), free);  // not host work: that may run one after the other
  CHECK((download(free, buffer.data(), buffer.size()) == std::vector<std::byte>(1000)));
  go.count_down();
  device.synchronize(blocked.ref());
}

void the_owner_waits_for_its_work(Device& device) {
  std::latch go(1);
  int value = 0;
  {
    const Stream stream = device.make_stream();
    device.enqueue(stream, [&] { go.wait(); });
    for (int i = 0; i < 100; ++i) device.enqueue(stream, [&] { ++value; });
    go.count_down();
  }
  CHECK(value == 100);
}

void owners_move(Device& device) {
  Stream first = device.make_stream();
  const StreamRef ref = first;
  Stream second = std::move(first);
  CHECK(second.ref() == ref);
  CHECK(first.ref().handle() == nullptr);
  first = std::move(second);
  CHECK(first.ref() == ref);

  std::atomic<bool> done{false};
  Stream third = device.make_stream();
  device.enqueue(third, [&] { done = true; });
  third = std::move(first);  // destroys the stream that it held, and so waits for it
  CHECK(done);
  CHECK(third.ref() == ref);
  CHECK(first.ref().handle() == nullptr);

  Event event = device.make_event();
  const EventRef event_ref = event;
  Event other = std::move(event);
  CHECK(other.ref() == event_ref);
  CHECK(event.ref().handle() == nullptr);
}

void owners_without_a_stream_are_refused(Device& device) {
  Stream moved = device.make_stream();
  const Stream stream = std::move(moved);
  const Event event = device.make_event();
  const StreamRef no_stream = moved;
  const EventRef no_event(device, static_cast<void*>(nullptr));
  std::byte byte{};
  expect_error<DeviceError>([&] { device.enqueue(no_stream, [] {}); }, {device.name(), "stream"});
  expect_error<DeviceError>([&] { device.copy(&byte, &byte, 1, no_stream); }, {"stream"});
  expect_error<DeviceError>([&] { device.fill_zero(&byte, 1, no_stream); }, {"stream"});
  expect_error<DeviceError>([&] { device.record(event, no_stream); }, {"stream"});
  expect_error<DeviceError>([&] { device.wait(no_stream, event); }, {"stream"});
  expect_error<DeviceError>([&] { device.synchronize(no_stream); }, {"stream"});
  expect_error<DeviceError>(
      [&] {
        device.normalize(&byte, nullptr, {1, 1, 1, 1}, {}, no_stream);
      },
      {"stream"});
  expect_error<DeviceError>([&] { device.record(no_event, stream); }, {"event"});
  expect_error<DeviceError>([&] { device.wait(stream, no_event); }, {"event"});
  expect_error<DeviceError>([&] { static_cast<void>(device.passed(no_event)); }, {"event"});
}

}  // namespace

std::vector<Clause> stream_clauses() {
  return {{"a stream runs its work in order", runs_in_order},
          {"a stream runs beside the host", runs_beside_the_host},
          {"streams run beside each other", streams_run_beside_each_other},
          {"destroying a stream waits for its work", the_owner_waits_for_its_work},
          {"owners move", owners_move},
          {"streams that were moved from and null events are refused", owners_without_a_stream_are_refused}};
}

}  // namespace leat::test
