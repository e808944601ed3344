// The loader's protocol code in every order of its accesses to shared memory within a budget, and in random ones.
//
// A deviation is a switch to another process that nothing forces; so with two of them, all schedules are played with
// up to two preemptions. A death happens at any access of a worker's. Each is played twice: every store is seen at
// once, and stores weaker than sequentially consistent as late as C++ allows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "tests/interleaving/loader_life.h"
#include "tests/interleaving/store_life.h"
#include "tests/interleaving/table_life.h"

namespace leat::interleaving {
namespace {

using Life = std::function<void(const Machine& machine)>;

// Every schedule within the budgets takes two and a half minutes. Without that, some of them, the same ones each time.
bool play_every_schedule() {
  const char* const given =
      std::getenv("LEAT_INTERLEAVINGS");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  return given != nullptr && std::string(given) == "all";
}

constexpr std::uint64_t kSampledSchedules = 2'500;

// Random ones, with more deviations than all schedules could be played with.
Outcome sample(const Machine& machine, Budget budget, const std::function<void()>& parent) {
  budget.deviations = 255;
  Outcome all;
  for (std::uint64_t seed = 0; seed < kSampledSchedules && all.failure.empty(); ++seed) {
    const Outcome one = play_random(machine, budget, parent, seed);
    ++all.schedules;
    all.steps = std::max(all.steps, one.steps);
    all.failure = one.failure;
  }
  return all;
}

void check_all(const std::string& name, Machine machine, const Budget& budget, const Life& life) {
  for (const bool delay : {false, true}) {
    machine.delay_weak_stores = delay;
    const auto parent = [&] { life(machine); };
    const Outcome outcome =
        play_every_schedule() ? enumerate(machine, budget, parent) : sample(machine, budget, parent);
    INFO(name << (delay ? ", weak stores late: " : ": ") << outcome.failure);
    CHECK(outcome.failure.empty());
    fmt::print("{:8} schedules of up to {:3} steps: {}{}\n", outcome.schedules, outcome.steps, name,
               delay ? ", weak stores late" : "");
  }
}

// By a life and a budget that are without a failure where there is no fault.
void check_caught(Machine machine, Fault fault, const Budget& budget, const Life& life) {
  machine.fault = fault;
  machine.delay_weak_stores = fault == Fault::late_stores;
  const Outcome outcome = enumerate(machine, budget, [&] { life(machine); });
  CHECK_FALSE(outcome.failure.empty());
  fmt::print("{:8} schedules until: {}\n", outcome.schedules,
             outcome.failure.substr(0, outcome.failure.find(';')));
}

void publish_once(const Machine& machine) {
  TableLife table(machine, 1, 1);
  table.publish(0);
  table.take(0);
}

void publish_twice(const Machine& machine) {
  TableLife table(machine, 1, 2);
  for (int batch = 0; batch < 2; ++batch) {
    table.publish(0);
    table.take(0);
  }
}

void publish_in_turn(const Machine& machine) {
  TableLife table(machine, 2, 1);
  table.publish(0);
  table.publish(1);
  table.take(0);
  table.publish(0);
  table.take(1);
  table.take(0);
}

void cancel_at_once(const Machine& machine) {
  TableLife table(machine, 1, 1);
  table.publish(0);
  table.cancel(0);
  table.wait_for_end(0);
}

// What wakes the parent may be a worker's death.
Life cancel_after_news(BadOnes bad = {}) {
  return [bad](const Machine& machine) {
    TableLife table(machine, 1, 1, bad);
    table.publish(0);
    table.wait_for_news(0);
    table.cancel(0);
    table.wait_for_end(0);
  };
}

void cancel_and_publish(const Machine& machine) {
  TableLife table(machine, 1, 2);
  table.publish(0);
  table.wait_for_news(0);
  table.cancel(0);
  table.wait_for_end(0);
  table.clear(0);
  table.publish(0);
  table.take(0);
}

void open_spare(const Machine& machine) {
  TableLife table(machine, 1, 1, {}, 1);
  table.publish(0);
  table.open_next();
  table.publish(1);
  table.take(1);
  table.take(0);
}

Life three_rows(BadOnes bad) {
  return [bad](const Machine& machine) {
    TableLife table(machine, 1, 3, bad);
    table.publish(0);
    table.take(0);
  };
}

Life loader(const LoaderLife& life) {
  return [life](const Machine& machine) { live(life, machine); };
}

constexpr Machine kOne{.workers = 1}, kTwo{.workers = 2};
constexpr Machine kOneWithLongChunks{.workers = 1, .rows_per_chunk = 3},
    kTwoWithLongChunks{.rows_per_chunk = 3};

TEST_CASE("interleavings: batches are published, loaded and cleared", "[process]") {
  check_all("one worker, which dies", kOne, {.deviations = 2, .deaths = 1}, publish_once);
  check_all("two workers", kTwo, {.deviations = 2}, publish_twice);
  check_all("two workers, one dies", kTwo, {.deviations = 1, .deaths = 1, .failed_forks = 1}, publish_twice);
  check_all("two slots", kTwo, {.deviations = 2}, publish_in_turn);
}

TEST_CASE("interleavings: a spare slot is opened", "[process]") {
  check_all("two workers", kTwo, {.deviations = 2}, open_spare);
  check_all("a worker dies", kOne, {.deviations = 1, .deaths = 1, .failed_forks = 1}, open_spare);
}

TEST_CASE("interleavings: batches are canceled", "[process]") {
  check_all("at once", kOne, {.deviations = 3, .deaths = 1, .failed_forks = 1}, cancel_at_once);
  check_all("later", kOne, {.deviations = 2, .deaths = 1, .failed_forks = 1}, cancel_after_news());
  // The fork server gives the chunk of the dead worker to all while the parent cancels it.
  check_all("behind a death", kOne, {.deviations = 2, .failed_forks = 1}, cancel_after_news({.poison = 0}));
  check_all("at once, two workers", kTwo, {.deviations = 2, .failed_forks = 1}, cancel_at_once);
  check_all("and others follow", kTwo, {.deviations = 2}, cancel_and_publish);
  check_all("while a worker dies", kTwo, {.deviations = 1, .deaths = 1, .failed_forks = 1},
            cancel_and_publish);
}

TEST_CASE("interleavings: workers die in chunks of several rows", "[process]") {
  check_all("once", kOneWithLongChunks, {.deviations = 2, .deaths = 1}, three_rows({}));
  check_all("twice", kOneWithLongChunks, {.deviations = 1, .deaths = 2}, three_rows({}));
  check_all("once, of two", kTwoWithLongChunks, {.deviations = 1, .deaths = 1, .failed_forks = 1},
            three_rows({}));
}

TEST_CASE("interleavings: samples are bad", "[process]") {
  const Life poison = three_rows({.poison = 1}), throws = three_rows({.throws = 1});
  check_all("a sample kills", kTwoWithLongChunks, {.deviations = 2}, poison);
  check_all("a sample kills, a worker dies", kOneWithLongChunks, {.deviations = 1, .deaths = 1}, poison);
  check_all("a sample throws", kTwoWithLongChunks, {.deviations = 2}, throws);
  check_all("a sample throws, a worker dies", kOneWithLongChunks, {.deviations = 1, .deaths = 1}, throws);
}

TEST_CASE("interleavings: a whole loader", "[process]") {
  check_all("two workers", kTwo, {.deviations = 2}, loader({}));
  check_all("a worker dies", kOne, {.deviations = 1, .deaths = 1, .failed_forks = 1}, loader({}));
  check_all("an epoch is given up", kOne, {.deviations = 2, .given_up_epochs = 1}, loader({.held = 1}));
  check_all("two samples of a chunk are bad", kOneWithLongChunks, {.deviations = 2},
            loader({.batches = 1,
                    .rows = 3,
                    .on_bad_sample = SampleErrorPolicy::substitute,
                    .bad = {.poison = 0, .throws = 1}}));
  check_all("a sample kills", kOneWithLongChunks, {.deviations = 1, .deaths = 1},
            loader({.rows = 3, .on_bad_sample = SampleErrorPolicy::skip, .bad = {.poison = 4}}));
  check_all("a sample throws", kOneWithLongChunks, {.deviations = 1, .deaths = 1},
            loader({.rows = 3, .bad = {.throws = 1}}));
}

TEST_CASE("interleavings: a loader runs ahead of its oldest batch", "[process]") {
  const LoaderLife ahead{.batches = 4, .rows = 1, .held = 1, .spare_slots = 1};
  LoaderLife refused = ahead;
  refused.memory_is_short = true;
  check_all("two workers", kTwo, {.deviations = 1}, loader(ahead));
  check_all("a worker dies", kTwo, {.deaths = 1}, loader(ahead));
  check_all("an epoch is given up", kTwo, {.deviations = 1, .given_up_epochs = 1}, loader(ahead));
  check_all("memory is refused", kTwo, {.deviations = 1}, loader(refused));
}

Life store(const StoreLife& life) {
  return [life](const Machine& machine) { live(life, machine); };
}

TEST_CASE("interleavings: a cache's store is filled", "[process]") {
  check_all("two workers", kTwo, {.deviations = 3}, store({}));
  check_all("two workers, which die", kTwo, {.deviations = 2, .deaths = 2}, store({}));
  check_all("three workers", {.workers = 3}, {.deviations = 2, .deaths = 1}, store({.samples = 1}));
  check_all("little room", kTwo, {.deviations = 2, .deaths = 1}, store({.samples = 3, .rooms = 2}));
  check_all("memory ends", kTwo, {.deviations = 2, .deaths = 1}, store({.memory_ends = true}));
  check_caught(kTwo, Fault::split_compare_exchange, {.deviations = 2}, store({}));
}

LoaderLife random_life(std::mt19937_64& random) {
  constexpr std::array kPolicies{SampleErrorPolicy::raise, SampleErrorPolicy::skip,
                                 SampleErrorPolicy::substitute};
  LoaderLife life{.batches = 1 + random() % 4,
                  .rows = 1 + random() % 4,
                  .prefetch_factor = 1 + random() % 2,
                  .max_held_batches = 1 + random() % 2,
                  .held = random() % 2,
                  .on_bad_sample = kPolicies[random() % 3],
                  .in_order = random() % 3 != 0,
                  .spare_slots = random() % 4,
                  .memory_is_short = random() % 8 == 0};
  if (random() % 2 == 0) life.bad.poison = random() % (life.batches * life.rows);
  if (random() % 2 == 0) life.bad.throws = random() % (life.batches * life.rows);
  if (life.bad.poison == life.bad.throws) life.bad.throws.reset();
  return life;
}

std::uint64_t seed_of_run() {
  const char* const given =
      std::getenv("LEAT_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

TEST_CASE("interleavings: random lives of loaders under random schedules", "[process]") {
  const std::uint64_t seed = seed_of_run();
  std::mt19937_64 random(seed);
  const int rounds = play_every_schedule() ? 50'000 : 10'000;
  for (int round = 0; round < rounds; ++round) {
    const LoaderLife life = random_life(random);
    const Machine machine{.workers = 1 + random() % 3,
                          .rows_per_chunk = 1 + random() % 4,
                          .delay_weak_stores = random() % 2 == 0};
    const Budget budget{.deviations = 255,
                        .deaths = static_cast<int>(random() % 4),
                        .failed_forks = static_cast<int>(random() % 3),
                        .given_up_epochs = static_cast<int>(random() % 3)};
    const Outcome outcome = play_random(
        machine, budget, [&] { live(life, machine); }, random());
    if (outcome.failure.empty()) continue;
    FAIL("LEAT_TEST_SEED=" << seed << ", round " << round << ": " << outcome.failure);
  }
}

TEST_CASE("interleavings: what a broken machine or fork server does is noticed", "[process]") {
  check_all("two workers", kTwo, {.deviations = 2}, publish_once);
  check_caught(kTwo, Fault::split_compare_exchange, {.deviations = 2}, publish_once);
  check_caught(kOne, Fault::late_stores, {.deviations = 2, .deaths = 1}, publish_once);
  check_caught(kOne, Fault::stale_fork_server, {.deviations = 3, .deaths = 1, .failed_forks = 1},
               cancel_at_once);
  check_caught(kOne, Fault::deaf_futex, {.deviations = 1}, publish_once);
  check_caught(kTwo, Fault::no_fence, {.deviations = 2}, publish_once);
  check_caught(kOne, Fault::unreported_deaths, {.deviations = 1, .deaths = 1}, publish_once);
}

}  // namespace
}  // namespace leat::interleaving
