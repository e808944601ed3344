#include <catch2/catch_test_macros.hpp>
#include <latch>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/pair_contract.h"

namespace leat::test {
namespace {

void fail(StreamRef stream) {
  stream.device().enqueue(stream, [] { throw PlannedError("planned"); });
}

void events_carry_it(Device& first, Device& second) {
  const Stream failing = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event before = first.make_event();
  const Event behind = first.make_event();
  std::latch go(1);
  int ran = 0;
  first.enqueue(failing, [&] { go.wait(); });
  first.record(before, failing);
  fail(failing);
  first.record(behind, failing);

  second.wait(waiting, before);
  second.enqueue(waiting, [&] { ++ran; });
  go.count_down();
  second.synchronize(waiting.ref());
  CHECK(ran == 1);

  second.wait(waiting, behind);
  second.enqueue(waiting, [&] { ++ran; });
  expect_error<PlannedError>([&] { second.synchronize(waiting.ref()); }, {"planned"});
  expect_error<PlannedError>([&] { second.synchronize(waiting.ref()); }, {"planned"});  // it stays
  CHECK(ran == 1);
}

// All of it is enqueued before anything fails.
void chains_carry_it(Device& first, Device& second) {
  const Stream failing = first.make_stream();
  const Stream middle = second.make_stream();
  const Stream end = first.make_stream();
  const Event there = first.make_event();
  const Event back = second.make_event();
  const Event ended = first.make_event();
  std::latch go(1);
  int ran = 0;
  first.enqueue(failing, [&] {
    go.wait();
    throw PlannedError("planned");
  });
  first.record(there, failing);
  second.wait(middle, there);
  second.enqueue(middle, [&] { ++ran; });
  second.record(back, middle);
  first.wait(end, back);
  first.enqueue(end, [&] { ++ran; });
  first.record(ended, end);
  go.count_down();
  expect_error<PlannedError>([&] { first.synchronize(ended.ref()); }, {"planned"});
  expect_error<PlannedError>([&] { first.synchronize(end.ref()); }, {"planned"});
  expect_error<PlannedError>([&] { second.synchronize(middle.ref()); }, {"planned"});
  CHECK(ran == 0);
}

void a_failure_may_be_older_than_the_wait(Device& first, Device& second) {
  const Stream failing = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  fail(failing);
  first.record(event, failing);
  expect_error<PlannedError>([&] { first.synchronize(failing.ref()); });
  second.wait(waiting, event);
  expect_error<PlannedError>([&] { second.synchronize(waiting.ref()); }, {"planned"});
}

void it_goes_no_further_than_waits_do(Device& first, Device& second) {
  const Stream failing = second.make_stream();
  const Stream sound = first.make_stream();
  const Event event = first.make_event();
  int ran = 0;
  first.record(event, sound);
  second.wait(failing, event);
  fail(failing);
  expect_error<PlannedError>([&] { second.synchronize(failing.ref()); });
  first.enqueue(sound, [&] { ++ran; });
  first.record(event, sound);
  first.synchronize(event.ref());
  first.synchronize(sound.ref());
  CHECK(ran == 1);
}

void the_first_one_counts(Device& first, Device& second) {
  const Stream failing = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  fail(failing);
  first.record(event, failing);
  second.enqueue(waiting, [] { throw std::runtime_error("of its own"); });
  second.wait(waiting, event);
  expect_error<std::runtime_error>([&] { second.synchronize(waiting.ref()); }, {"of its own"});
}

}  // namespace

std::vector<PairClause> pair_failure_clauses() {
  return {{"events carry a failure to the other device", events_carry_it},
          {"a failure goes there and back", chains_carry_it},
          {"a failure may be older than the wait", a_failure_may_be_older_than_the_wait},
          {"the device that was waited for does not fail", it_goes_no_further_than_waits_do},
          {"the first failure of a stream counts", the_first_one_counts}};
}

}  // namespace leat::test
