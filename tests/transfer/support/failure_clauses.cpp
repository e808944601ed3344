#include <catch2/catch_test_macros.hpp>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

void fail(StreamRef stream) {
  stream.device().enqueue(stream, [] { throw PlannedError("planned"); });
}

void keeps_its_type_and_stays(Device& device) {
  const Stream stream = device.make_stream();
  int ran = 0;
  device.enqueue(stream, [&] { ++ran; });
  fail(stream);
  device.enqueue(stream, [&] { ++ran; });
  expect_error<PlannedError>([&] { stream.ref().synchronize(); }, {"planned"});
  expect_error<PlannedError>([&] { device.synchronize(stream.ref()); }, {"planned"});
  CHECK(ran == 1);
}

void the_first_one_counts(Device& device) {
  const Stream stream = device.make_stream();
  fail(stream);
  device.enqueue(stream, [] { throw std::runtime_error("second"); });
  expect_error<PlannedError>([&] { stream.ref().synchronize(); }, {"planned"});
}

void events_carry_it(Device& device) {
  const Stream first = device.make_stream();
  const Stream second = device.make_stream();
  const Stream third = device.make_stream();
  const Event before = device.make_event();
  const Event behind = device.make_event();
  const Event onward = device.make_event();
  int ran = 0;
  device.enqueue(first, [] {});
  device.record(before, first);
  fail(first);
  device.record(behind, first);

  device.wait(second, before);
  device.enqueue(second, [&] { ++ran; });
  device.synchronize(second.ref());
  CHECK(ran == 1);

  device.wait(second, behind);
  device.enqueue(second, [&] { ++ran; });
  device.record(onward, second);
  device.wait(third, onward);
  expect_error<PlannedError>([&] { device.synchronize(third.ref()); }, {"planned"});
  expect_error<PlannedError>([&] { device.synchronize(second.ref()); }, {"planned"});
  CHECK(ran == 1);
}

void events_throw_it(Device& device) {
  const Stream stream = device.make_stream();
  const Event before = device.make_event();
  const Event behind = device.make_event();
  device.enqueue(stream, [] {});
  device.record(before, stream);
  fail(stream);
  device.record(behind, stream);
  device.synchronize(before.ref());
  expect_error<PlannedError>([&] { device.synchronize(behind.ref()); }, {"planned"});
  CHECK(device.passed(behind));
}

void other_streams_go_on(Device& device) {
  const Stream failed = device.make_stream();
  const Stream sound = device.make_stream();
  fail(failed);
  expect_error<PlannedError>([&] { failed.ref().synchronize(); });
  int value = 0;
  device.enqueue(sound, [&] { value = 7; });
  device.synchronize(sound.ref());
  CHECK(value == 7);
}

void a_new_stream_is_sound(Device& device) {
  for (int i = 0; i < 10; ++i) {  // handles may come back
    {
      const Stream stream = device.make_stream();
      device.synchronize(stream.ref());
      fail(stream);
    }
    const Stream stream = device.make_stream();
    device.synchronize(stream.ref());
  }
}

}  // namespace

std::vector<Clause> failure_clauses() {
  return {{"a failure keeps its type and stays", keeps_its_type_and_stays},
          {"the first failure counts", the_first_one_counts},
          {"events carry a failure to streams that wait", events_carry_it},
          {"events recorded behind a failure throw it", events_throw_it},
          {"other streams go on after a failure", other_streams_go_on},
          {"a new stream inherits no failure", a_new_stream_is_sound}};
}

}  // namespace leat::test
