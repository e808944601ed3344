#include "leat/transfer/prefetch/prefetch_schedule.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <stdexcept>

#include "tests/support/expect_error.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;
using Step = PrefetchSchedule::Step;
using Fill = PrefetchSchedule::Fill;
using Kind = PrefetchSchedule::Delivery::Kind;

namespace {

// A pump, a source with two batches per epoch and a consumer around a schedule, moved one event at a time.
// Every event checks what must hold; `ok` turns false where it does not.
struct World {
  enum class Pump { idle, pulling, holding, filling, stopped };
  enum Event { pump, next, release, restart, kEvents };
  static constexpr std::uint64_t kBatches = 2;

  PrefetchSchedule schedule;
  std::size_t buffers;
  bool failing;  // batch 1 of every epoch is a SampleError: the epoch goes on

  // The pump and its source.
  Pump at = Pump::idle;
  std::uint64_t generation = 0;  // of the pull
  std::uint64_t source_epoch = 0;
  std::uint64_t source_number = 0;
  std::uint64_t held_epoch = 0, held_number = 0;  // of the batch that was pulled
  std::size_t filling = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> contents;  // of each buffer: epoch, number

  // The consumer.
  bool waiting = false;
  std::set<std::size_t> leased;
  std::uint64_t epoch = 0;     // the one that is being consumed
  std::uint64_t expected = 0;  // the number of the delivery that comes next; kBatches: the end
  std::size_t deliveries = 0;
  int restarts = 0;
  bool ok = true;

  World(std::size_t count, bool fails) : schedule(count), buffers(count), failing(fails), contents(count) {}

  void check(bool condition) { ok = ok && condition; }

  // False: the event is impossible or changes nothing.
  bool apply(Event event) {
    switch (event) {
      case pump:
        return step_pump();
      case next:
        return consumer_next();
      case release:
        if (leased.empty()) return false;
        schedule.release(*leased.begin());
        leased.erase(leased.begin());
        return true;
      default:
        if (restarts == 2) return false;
        ++restarts;
        schedule.start_epoch(epoch + 10);
        epoch += 10;
        expected = 0;
        waiting = false;
        return true;
    }
  }

  bool step_pump() {
    switch (at) {
      case Pump::idle:
        return obey();
      case Pump::pulling:
        pull();
        return true;
      case Pump::holding:
        return begin_fill();
      case Pump::filling:
        schedule.finish_fill(filling);
        at = Pump::idle;
        return true;
      default:
        return false;
    }
  }

  bool obey() {
    const auto command = schedule.next_command();
    if (command.step == Step::wait) return false;
    if (command.step == Step::start_epoch) {
      source_epoch = command.epoch;
      source_number = 0;
    } else if (command.step == Step::pull) {
      generation = command.generation;
      at = Pump::pulling;
    } else {
      at = Pump::stopped;
    }
    return true;
  }

  void pull() {
    at = Pump::idle;
    if (source_number == kBatches) {
      ++source_epoch;
      source_number = 0;
      schedule.deliver_end(generation);
      return;
    }
    held_epoch = source_epoch;
    held_number = source_number++;
    if (failing && held_number == 1) {
      schedule.deliver_error(generation, std::make_exception_ptr(std::runtime_error("sample")), true);
    } else {
      at = Pump::holding;
    }
  }

  bool begin_fill() {
    const Fill fill = schedule.begin_fill(generation);
    if (fill.kind == Fill::Kind::wait) return false;
    at = fill.kind == Fill::Kind::fill ? Pump::filling : Pump::idle;
    if (fill.kind == Fill::Kind::discard) return true;
    check(fill.buffer < buffers);
    check(!leased.contains(fill.buffer));
    filling = fill.buffer;
    contents[filling] = {held_epoch, held_number};
    return true;
  }

  bool consumer_next() {
    const bool asked = waiting;
    if (!waiting) schedule.ask();
    waiting = true;
    if (!schedule.has_delivery()) return !asked;
    const auto delivery = schedule.take();
    waiting = false;
    ++deliveries;
    const std::uint64_t number = expected++;
    if (number == kBatches) {
      check(delivery.kind == Kind::end);
      ++epoch;
      expected = 0;
    } else if (failing && number == 1) {
      check(delivery.kind == Kind::error);
    } else {
      check(delivery.kind == Kind::batch);
      check(contents[delivery.buffer] == std::pair(epoch, number));
      check(leased.insert(delivery.buffer).second);
    }
    return true;
  }

  // Whatever happened, a consumer that waits gets something, or is told that it holds all the buffers.
  void check_progress() const {
    World copy = *this;
    if (!copy.waiting && !copy.schedule.has_delivery()) copy.schedule.ask();
    for (int i = 0; i < 100 && copy.step_pump(); ++i) {
    }
    const bool told = copy.schedule.has_delivery() || copy.schedule.starved();
    const bool truly = !copy.schedule.starved() || copy.leased.size() == copy.buffers;
    if (!told || !truly || !copy.ok) throw std::logic_error("no progress");
  }
};

// Every sequence of `depth` events with at most two restarts. Returns how many worlds were visited.
std::size_t explore(const World& world, int depth, std::size_t& deliveries) {
  world.check_progress();
  deliveries = std::max(deliveries, world.deliveries);
  std::size_t visited = 1;
  if (depth == 0) return visited;
  for (int event = 0; event < World::kEvents; ++event) {
    World after = world;
    if (!after.apply(static_cast<World::Event>(event))) continue;
    if (!after.ok) throw std::logic_error("an invariant is broken");
    visited += explore(after, depth - 1, deliveries);
  }
  return visited;
}

void explore_all(std::size_t buffers, bool failing) {
  std::size_t deliveries = 0;
  const std::size_t visited = explore(World(buffers, failing), 17, deliveries);
  CHECK(visited > 10000);
  CHECK(deliveries >= 3);  // a whole epoch
}

}  // namespace

TEST_CASE("a prefetch schedule holds its invariants in every short sequence of events") {
  for (const std::size_t buffers : {1, 2, 3}) {
    for (const bool failing : {false, true}) {
      INFO(buffers << " buffers" << (failing ? ", with failing samples" : ""));
      explore_all(buffers, failing);
    }
  }
}

TEST_CASE("a prefetch schedule does nothing until it is asked") {
  PrefetchSchedule schedule(2);
  CHECK(schedule.next_command().step == Step::wait);
  schedule.ask();
  CHECK(schedule.next_command().step == Step::pull);
}

TEST_CASE("an epoch that was asked for is given out once") {
  PrefetchSchedule schedule(2);
  schedule.start_epoch(7);
  const auto command = schedule.next_command();
  CHECK(command.step == Step::start_epoch);
  CHECK(command.epoch == 7);
  CHECK(schedule.next_command().step == Step::pull);
}

TEST_CASE("a command keeps the generation that it was given in") {
  PrefetchSchedule schedule(2);
  schedule.ask();
  const auto command = schedule.next_command();
  schedule.start_epoch(1);
  CHECK(schedule.begin_fill(command.generation).kind == Fill::Kind::discard);
  schedule.deliver_end(command.generation);
  schedule.deliver_error(command.generation, std::make_exception_ptr(1), false);
  CHECK_FALSE(schedule.has_delivery());
  CHECK(schedule.next_command().step == Step::start_epoch);
}

TEST_CASE("an error that ends the pulling is retried when asked") {
  PrefetchSchedule schedule(2);
  schedule.ask();
  schedule.deliver_error(schedule.next_command().generation, std::make_exception_ptr(1), false);
  CHECK(schedule.next_command().step == Step::wait);
  CHECK(schedule.take().kind == Kind::error);
  CHECK(schedule.next_command().step == Step::wait);
  schedule.ask();
  CHECK(schedule.next_command().step == Step::pull);
}

TEST_CASE("a consumer that holds all the buffers is starved") {
  PrefetchSchedule schedule(1);
  schedule.ask();
  const std::uint64_t generation = schedule.next_command().generation;
  schedule.finish_fill(schedule.begin_fill(generation).buffer);
  CHECK(schedule.take().kind == Kind::batch);
  CHECK_FALSE(schedule.starved());  // the pump has not asked yet: the epoch may be over
  CHECK(schedule.begin_fill(generation).kind == Fill::Kind::wait);
  CHECK(schedule.starved());
  schedule.release(0);
  CHECK_FALSE(schedule.starved());
  CHECK(schedule.begin_fill(generation).kind == Fill::Kind::fill);
}

TEST_CASE("a consumer that was starved is not so in an epoch that nobody has looked at yet") {
  PrefetchSchedule schedule(1);
  schedule.ask();
  const std::uint64_t generation = schedule.next_command().generation;
  schedule.finish_fill(schedule.begin_fill(generation).buffer);
  CHECK(schedule.take().kind == Kind::batch);
  CHECK(schedule.begin_fill(generation).kind == Fill::Kind::wait);
  CHECK(schedule.starved());
  schedule.start_epoch(1);  // which may be empty
  CHECK_FALSE(schedule.starved());
}

TEST_CASE("a failed schedule delivers what it has, then the failure for ever") {
  PrefetchSchedule schedule(2);
  schedule.ask();
  const std::uint64_t generation = schedule.next_command().generation;
  schedule.finish_fill(schedule.begin_fill(generation).buffer);
  schedule.fail(std::make_exception_ptr(1));
  schedule.fail(std::make_exception_ptr(std::string("later")));
  CHECK(schedule.next_command().step == Step::stop);
  CHECK(schedule.take().kind == Kind::batch);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(schedule.has_delivery());
    CHECK_THROWS_AS(std::rethrow_exception(schedule.take().error), int);
  }
  schedule.start_epoch(0);
  CHECK(schedule.next_command().step == Step::stop);
  CHECK(schedule.has_delivery());
}

TEST_CASE("a closed schedule stops its pump") {
  PrefetchSchedule schedule(2);
  schedule.ask();
  const std::uint64_t generation = schedule.next_command().generation;
  schedule.close();
  CHECK(schedule.begin_fill(generation).kind == Fill::Kind::discard);
  CHECK(schedule.next_command().step == Step::stop);
}

TEST_CASE("a schedule without buffers is refused") {
  expect_error<ArgumentError>([] { PrefetchSchedule schedule(0); }, {"PrefetcherOptions::buffers"});
}
