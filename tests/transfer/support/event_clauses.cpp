#include <catch2/catch_test_macros.hpp>
#include <latch>

#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

void never_recorded_has_passed(Device& device) {
  const Stream stream = device.make_stream();
  const Event event = device.make_event();
  CHECK(device.passed(event));
  device.synchronize(event.ref());
  device.wait(stream, event);
  device.synchronize(stream.ref());
}

void passes_behind_its_stream(Device& device) {
  std::latch go(1);
  const Stream stream = device.make_stream();
  const Event event = device.make_event();
  int value = 0;
  device.enqueue(stream, [&] {
    go.wait();
    value = 7;
  });
  device.record(event, stream);
  CHECK_FALSE(device.passed(event));
  go.count_down();
  device.synchronize(event.ref());
  CHECK(value == 7);
  CHECK(device.passed(event));
}

void orders_streams(Device& device) {
  std::latch go(1);
  const Stream first = device.make_stream();
  const Stream second = device.make_stream();
  const Event event = device.make_event();
  int value = 0;
  int seen = 0;
  device.enqueue(first, [&] {
    go.wait();
    value = 7;
  });
  device.record(event, first);
  device.wait(second, event);
  device.enqueue(second, [&] { seen = value; });
  go.count_down();
  device.synchronize(second.ref());
  CHECK(seen == 7);
}

void a_wait_means_the_last_record_before_it(Device& device) {
  std::latch go(1);
  const Stream first = device.make_stream();
  const Stream second = device.make_stream();
  const Event event = device.make_event();
  const DeviceBuffer buffer = device.allocate(1000);
  device.record(event, first);
  device.wait(second, event);
  device.enqueue(first, [&] { go.wait(); });
  device.record(event, first);  // the wait above does not mean this one
  device.fill_zero(buffer.data(), buffer.size(), second);
  CHECK((download(second, buffer.data(), buffer.size()) == std::vector<std::byte>(1000)));
  CHECK_FALSE(device.passed(event));
  go.count_down();
  device.synchronize(first.ref());
}

void a_later_record_supersedes(Device& device) {
  std::latch go(1);
  const Stream stream = device.make_stream();
  const Event event = device.make_event();
  device.record(event, stream);
  device.synchronize(event.ref());
  CHECK(device.passed(event));
  device.enqueue(stream, [&] { go.wait(); });
  device.record(event, stream);
  CHECK_FALSE(device.passed(event));
  go.count_down();
  device.synchronize(event.ref());
  CHECK(device.passed(event));
}

void a_wait_is_not_undone_by_a_later_record(Device& device) {
  std::latch go(1);
  const Stream slow = device.make_stream();
  const Stream quick = device.make_stream();
  const Stream waiting = device.make_stream();
  const Event event = device.make_event();
  int value = 0;
  int seen = 0;
  device.enqueue(slow, [&] {
    go.wait();
    value = 7;
  });
  device.record(event, slow);
  device.wait(waiting, event);
  device.enqueue(waiting, [&] { seen = value; });
  device.record(event, quick);
  device.synchronize(event.ref());
  go.count_down();
  device.synchronize(waiting.ref());
  CHECK(seen == 7);
}

void may_go_while_waited_for(Device& device) {
  std::latch go(1);
  const Stream first = device.make_stream();
  const Stream second = device.make_stream();
  int value = 0;
  int seen = 0;
  device.enqueue(first, [&] {
    go.wait();
    value = 7;
  });
  {
    const Event event = device.make_event();
    device.record(event, first);
    device.wait(second, event);
  }
  device.enqueue(second, [&] { seen = value; });
  go.count_down();
  device.synchronize(second.ref());
  CHECK(seen == 7);
}

}  // namespace

std::vector<Clause> event_clauses() {
  return {{"an event that was never recorded has passed", never_recorded_has_passed},
          {"an event passes when its stream gets there", passes_behind_its_stream},
          {"a stream waits for another through an event", orders_streams},
          {"a wait means the last record before it", a_wait_means_the_last_record_before_it},
          {"a later record supersedes an earlier one", a_later_record_supersedes},
          {"a wait is not undone by a later record", a_wait_is_not_undone_by_a_later_record},
          {"an event may be destroyed while it is waited for", may_go_while_waited_for}};
}

}  // namespace leat::test
