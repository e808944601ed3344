#include "leat/loader/sweep.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <vector>

#include "leat/loader/os/child_process.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/sweep/machine_usage.h"
#include "leat/loader/sweep/schedule.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::expect_error;
using test::HookedDataset;

constexpr auto kShort = std::chrono::milliseconds(10);

// Processes that use CPUs, one for each, until this ends.
class BusyMachine {
 public:
  BusyMachine() {
    for (int i = 0; i < std::max(1, describe_machine().cpus); ++i) {
      others_.push_back(ChildProcess::run([]() -> int {
        for (std::atomic<unsigned> spin{0};;) spin.fetch_add(1, std::memory_order_relaxed);
      }));
    }
  }

 private:
  std::vector<ChildProcess> others_;
};

}  // namespace

TEST_CASE("the default numbers of workers end with the CPUs") {
  CHECK(default_worker_counts(1) == std::vector{0, 1});
  CHECK(default_worker_counts(2) == std::vector{0, 1, 2});
  CHECK(default_worker_counts(2.5) == std::vector{0, 1, 2, 3});
  CHECK(default_worker_counts(8) == std::vector{0, 1, 2, 4, 8});
  CHECK(default_worker_counts(0.1) == std::vector{0, 1});
}

TEST_CASE("each round measures every number, in another order") {
  CHECK(round_order({0, 1, 2}, 0) == std::vector{0, 1, 2});
  CHECK(round_order({0, 1, 2}, 1) == std::vector{0, 2, 1});
  CHECK(round_order({0, 1, 2}, 2) == std::vector{2, 0, 1});
  CHECK(round_order({0, 1, 2}, 3) == std::vector{2, 1, 0});
  CHECK(round_order({5}, 7) == std::vector{5});
  CHECK(round_order({}, 1).empty());
}

TEST_CASE("options of a sweep that are out of range are refused") {
  const MakeLoader never = [](int) -> DataLoader { throw std::logic_error("was called"); };
  expect_error<ArgumentError>([&] { sweep(never, {.rounds = 0}); }, {"0 rounds"});
  expect_error<ArgumentError>([&] { sweep(never, {.round_time = std::chrono::milliseconds(0)}); }, {"0 ms"});
  expect_error<ArgumentError>([&] { sweep(never, {.num_workers = {2, kAutoWorkers}}); }, {"-1 workers"});
}

TEST_CASE("a sweep measures a user's loader with each number of workers", "[process]") {
  const ArithmeticDataset data(100);
  std::vector<SweepRound> seen;
  SweepOptions options{.num_workers = {2, 0, 2}, .rounds = 2, .round_time = kShort};
  options.data.what = "squares";
  options.data.settings = {{"size", "5"}};
  options.on_round = [&](const SweepRound& round) { seen.push_back(round); };
  const SweepResult result = sweep(
      [&](int num_workers) {
        return DataLoader(data, {.batch_size = 8, .shuffle = true, .num_workers = num_workers});
      },
      options);

  REQUIRE(seen.size() == 4);
  CHECK(std::vector{seen[0].num_workers, seen[1].num_workers, seen[2].num_workers, seen[3].num_workers} ==
        std::vector{0, 2, 0, 2});
  CHECK(seen[3].round == 1);
  REQUIRE(result.runs.size() == 2);
  CHECK(result.runs[0].num_workers == 0);
  CHECK(result.runs[1].num_workers == 2);
  for (const SweepRun& run : result.runs) {
    REQUIRE(run.rounds.size() == 2);
    CHECK(run.samples_per_second.lowest > 0);
    CHECK(run.first_batch_ms.lowest > 0);
    CHECK(run.cpu_share > 0);
    CHECK(run.peak_memory_bytes > 0);
    CHECK(run.restarts == 0);
    for (const SweepRound& round : run.rounds) {
      CHECK(round.seconds >= 0.01);
      CHECK(round.samples >= 4);  // the epoch's last batch is short
    }
  }
  CHECK(result.data.what == "squares");
  CHECK(result.data.samples == 100);
  CHECK(result.data.batch_size == 8);
  CHECK(result.data.bytes_per_sample >= 36);
  CHECK(result.data.settings.size() == 1);
  CHECK(result.machine.usable_cpus == usable_cpus());
  CHECK_FALSE(result.trusted);  // two rounds
}

TEST_CASE("a loader without batches ends a sweep", "[process]") {
  const ArithmeticDataset none(0), few(3);
  const auto sweep_over = [](const ArithmeticDataset& data) {
    sweep(
        [&](int workers) {
          return DataLoader(data, {.batch_size = 4, .num_workers = workers, .drop_last = true});
        },
        {.num_workers = {0}, .rounds = 1, .round_time = kShort});
  };
  expect_error<Error>([&] { sweep_over(none); }, {"no batches"});
  expect_error<Error>([&] { sweep_over(few); }, {"smaller than a batch"});
}

TEST_CASE("what a dataset throws ends a sweep with its text", "[process]") {
  const HookedDataset broken(10, [](std::size_t index) {
    if (index == 3) throw std::runtime_error("is broken");
  });
  expect_error<Error>(
      [&] {
        sweep([&](int workers) { return DataLoader(broken, {.num_workers = workers}); },
              {.num_workers = {1}, .rounds = 1, .round_time = kShort});
      },
      {"number 3", "is broken"});
}

TEST_CASE("workers that die while they are measured are counted, and the result is not relied on",
          "[process]") {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* died = new (memory) std::atomic<bool>(false);
  const HookedDataset mortal(100, [died](std::size_t index) {
    if (index == 0 && !died->exchange(true)) ::raise(SIGKILL);
  });
  const SweepResult result = sweep(
      [&](int workers) {
        died->store(false);
        return DataLoader(mortal,
                          {.batch_size = 8, .num_workers = workers, .on_warning = [](const std::string&) {}});
      },
      {.num_workers = {1}, .rounds = 3, .round_time = kShort});
  ::munmap(memory, 4096);
  CHECK(result.runs.front().restarts == 3);
  CHECK_FALSE(result.trusted);
}

TEST_CASE("a sweep on a machine that others use is not relied on", "[process]") {
  if (!MachineUsage().mark().busy_seconds) {
    std::printf("SKIPPED: the kernel does not tell how busy the CPUs are\n");
    return;
  }
  const ArithmeticDataset data(100);
  const BusyMachine others;
  const SweepResult result =
      sweep([&](int workers) { return DataLoader(data, {.batch_size = 8, .num_workers = workers}); },
            {.num_workers = {0}, .rounds = 3, .round_time = std::chrono::milliseconds(300)});
  REQUIRE(result.runs.front().others_share);
  CHECK(*result.runs.front().others_share > 0.1);
  CHECK_FALSE(result.trusted);
}

}  // namespace leat
