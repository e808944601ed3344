#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <optional>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/pair_contract.h"

namespace leat::test {
namespace {

constexpr int kPolls = 200;

// Whether the event has not passed, however often one asks.
bool stays_pending(EventRef event) {
  for (int i = 0; i < kPolls; ++i) {
    if (event.device().passed(event)) return false;
  }
  return true;
}

// A value that one stream writes once it may, and what another stream sees of it. It comes before its streams.
struct HeldValue {
  void write_on(StreamRef stream) {
    stream.device().enqueue(stream, [this] {
      go.wait();
      value = 7;
    });
  }
  void see_on(StreamRef stream) {
    stream.device().enqueue(stream, [this] { seen = value; });
  }

  std::latch go{1};
  int value = 0;
  int seen = 0;
};

void a_stream_waits_for_the_other(Device& first, Device& second) {
  HeldValue held;
  const Stream stream = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  const Event behind = second.make_event();
  held.write_on(stream);
  first.record(event, stream);
  second.wait(waiting, event);  // returns, though the event has not passed
  second.record(behind, waiting);
  held.see_on(waiting);
  const bool is_pending = stays_pending(behind);
  held.go.count_down();
  second.synchronize(waiting.ref());
  CHECK(is_pending);
  CHECK(held.seen == 7);
}

void never_recorded_has_passed(Device& first, Device& second) {
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  second.wait(waiting, event);
  second.synchronize(waiting.ref());
}

void has_passed_before_the_wait(Device& first, Device& second) {
  const Stream stream = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  int value = 0;
  int seen = 0;
  first.enqueue(stream, [&] { value = 7; });
  first.record(event, stream);
  first.synchronize(event.ref());
  second.wait(waiting, event);
  second.enqueue(waiting, [&] { seen = value; });
  second.synchronize(waiting.ref());
  CHECK(seen == 7);
}

void chains_go_there_and_back(Device& first, Device& second) {
  std::latch go(1);
  const Stream start = first.make_stream();
  const Stream middle = second.make_stream();
  const Stream end = first.make_stream();
  const Event there = first.make_event();
  const Event back = second.make_event();
  const Event ended = first.make_event();
  int value = 1;
  first.enqueue(start, [&] {
    go.wait();
    value += 1;
  });
  first.record(there, start);
  second.wait(middle, there);
  second.enqueue(middle, [&] { value *= 10; });
  second.record(back, middle);
  first.wait(end, back);
  first.enqueue(end, [&] { value += 3; });
  first.record(ended, end);
  const bool is_pending = stays_pending(ended);
  go.count_down();
  first.synchronize(ended.ref());
  CHECK(is_pending);
  CHECK(value == 23);
}

// What the waiting stream does is no host work: the blocked host work may hold that up.
void a_wait_means_the_last_record_before_it(Device& first, Device& second) {
  std::latch go(1);
  const Stream stream = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  const Event behind = second.make_event();
  first.record(event, stream);
  second.wait(waiting, event);
  first.enqueue(stream, [&] { go.wait(); });
  first.record(event, stream);  // the wait above does not mean this one
  second.record(behind, waiting);
  second.synchronize(behind.ref());
  CHECK_FALSE(first.passed(event));
  go.count_down();
  first.synchronize(stream.ref());
}

void a_wait_is_not_undone_by_a_later_record(Device& first, Device& second) {
  HeldValue held;
  const Stream slow = first.make_stream();
  const Stream quick = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  const Event behind = second.make_event();
  held.write_on(slow);
  first.record(event, slow);
  second.wait(waiting, event);
  second.record(behind, waiting);
  held.see_on(waiting);
  first.record(event, quick);
  first.synchronize(event.ref());
  const bool is_pending = stays_pending(behind);
  held.go.count_down();
  second.synchronize(waiting.ref());
  CHECK(is_pending);
  CHECK(held.seen == 7);
}

void an_event_may_go_while_waited_for(Device& first, Device& second) {
  HeldValue held;
  const Stream stream = first.make_stream();
  const Stream waiting = second.make_stream();
  const Event behind = second.make_event();
  std::optional<Event> event(first.make_event());
  held.write_on(stream);
  first.record(*event, stream);
  second.wait(waiting, *event);
  event.reset();
  second.record(behind, waiting);
  held.see_on(waiting);
  const bool is_pending = stays_pending(behind);
  held.go.count_down();
  second.synchronize(waiting.ref());
  CHECK(is_pending);
  CHECK(held.seen == 7);
}

void a_stream_may_go_while_waited_for(Device& first, Device& second) {
  HeldValue held;
  const Stream waiting = second.make_stream();
  const Event event = first.make_event();
  {
    const Stream stream = first.make_stream();
    held.write_on(stream);
    first.record(event, stream);
    second.wait(waiting, event);
    held.see_on(waiting);
    held.go.count_down();
  }
  second.synchronize(waiting.ref());
  CHECK(held.seen == 7);
}

void many_streams_wait_for_one_event(Device& first, Device& second) {
  HeldValue held;
  const Stream stream = first.make_stream();
  const Event event = first.make_event();
  std::vector<int> seen(8);  // before the streams that write it
  std::vector<Stream> waiting;
  held.write_on(stream);
  first.record(event, stream);
  for (int& each : seen) {
    waiting.push_back(second.make_stream());
    second.wait(waiting.back(), event);
    second.enqueue(waiting.back(), [&] { each = held.value; });
  }
  held.go.count_down();
  for (const Stream& each : waiting) second.synchronize(each.ref());
  CHECK(seen == std::vector<int>(8, 7));
}

// The events are recorded again and again, while earlier recordings of theirs are still waited for.
void they_play_ping_pong(Device& first, Device& second) {
  constexpr int kRounds = 1000;
  const Stream ping = first.make_stream();
  const Stream pong = second.make_stream();
  const Event there = first.make_event();
  const Event back = second.make_event();
  int turns = 0;
  int out_of_turn = 0;
  const auto turn = [&](int expected) {
    if (turns != expected) ++out_of_turn;
    ++turns;
  };
  for (int i = 0; i < kRounds; ++i) {
    first.enqueue(ping, [&turn, i] { turn(2 * i); });
    first.record(there, ping);
    second.wait(pong, there);
    second.enqueue(pong, [&turn, i] { turn(2 * i + 1); });
    second.record(back, pong);
    first.wait(ping, back);
  }
  first.synchronize(ping.ref());
  second.synchronize(pong.ref());
  CHECK(turns == 2 * kRounds);
  CHECK(out_of_turn == 0);
}

void events_that_are_none_are_refused(Device& first, Device& second) {
  const Stream waiting = second.make_stream();
  Stream moved = second.make_stream();
  const Stream stream = std::move(moved);
  const Event event = first.make_event();
  const EventRef no_event(first, static_cast<void*>(nullptr));
  const StreamRef no_stream = moved;
  expect_error<DeviceError>([&] { second.wait(waiting, no_event); }, {"null event"});
  expect_error<DeviceError>([&] { second.wait(no_stream, event); }, {"stream"});
  if (&first != &second)
    expect_error<DeviceError>([&] { second.record(event, stream); }, {"an event of " + first.name()});
  second.synchronize(waiting.ref());  // it has not failed, nor does it wait
}

}  // namespace

std::vector<PairClause> pair_event_clauses() {
  return {{"a stream waits for an event of the other device", a_stream_waits_for_the_other},
          {"an event that was never recorded has passed", never_recorded_has_passed},
          {"an event that has passed holds nothing up", has_passed_before_the_wait},
          {"a chain of waits goes there and back", chains_go_there_and_back},
          {"a wait means the last record before it", a_wait_means_the_last_record_before_it},
          {"a wait is not undone by a later record", a_wait_is_not_undone_by_a_later_record},
          {"an event may be destroyed while it is waited for", an_event_may_go_while_waited_for},
          {"a stream may be destroyed while it is waited for", a_stream_may_go_while_waited_for},
          {"many streams wait for one event", many_streams_wait_for_one_event},
          {"streams take 1,000 turns", they_play_ping_pong},
          {"null events, events of other devices and moved streams are refused",
           events_that_are_none_are_refused}};
}

}  // namespace leat::test
