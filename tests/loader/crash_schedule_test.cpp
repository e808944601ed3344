// The claim of the engine: the same bytes in the same order, for any number of workers and any schedule of crashes.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::HookedDataset;

using namespace std::chrono_literals;

// Which sample ends the process that loads it, how, the first time only.
class CrashSchedule {
 public:
  CrashSchedule(std::size_t samples, std::size_t crashes, std::mt19937_64& random)
      : tried_("tries", samples * sizeof(std::atomic<int>)), kind_(samples, 0) {
    for (std::size_t i = 0; i < crashes; ++i) kind_[random() % samples] = 1 + static_cast<int>(random() % 4);
  }

  void before(std::size_t index) const {
    if (kind_[index] == 0 || tries(index).fetch_add(1) > 0) return;
    constexpr int kSignals[] = {SIGKILL, SIGSEGV, SIGABRT};
    if (kind_[index] <= 3) ::raise(kSignals[kind_[index] - 1]);
    ::_exit(7);
  }

  int crashed() const {
    int count = 0;
    for (std::size_t i = 0; i < kind_.size(); ++i) count += kind_[i] != 0 && tries(i).load() > 0;
    return count;
  }

 private:
  std::atomic<int>& tries(std::size_t i) const {
    return reinterpret_cast<std::atomic<int>*>(tried_.bytes().data())[i];
  }

  SharedMemory tried_;
  std::vector<int> kind_;
};

std::uint64_t seed_of_run() {
  const char* const given =
      std::getenv("LEAT_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

TEST_CASE("64: the stream is that of the inline loader for random sizes, workers and crashes", "[process]") {
  const std::uint64_t seed = seed_of_run();
  INFO("LEAT_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  int crashed = 0;
  for (int round = 0; round < 25; ++round) {
    const std::size_t samples = 1 + random() % 300;
    const CrashSchedule schedule(samples, random() % 12, random);
    const HookedDataset crashing(samples, [&](std::size_t index) { schedule.before(index); });
    const ArithmeticDataset healthy(samples);
    DataLoaderOptions options{.batch_size = 1 + random() % 40,
                              .shuffle = random() % 2 == 0,
                              .drop_last = random() % 3 == 0,
                              .seed = random(),
                              .max_held_batches = 1 + random() % 3};
    DataLoader expected(healthy, options);
    options.num_workers = 1 + static_cast<int>(random() % 5);
    options.prefetch_factor = 1 + random() % 3;
    options.on_warning = [](const std::string&) {};
    options.reorder_bytes = random() % 2 == 0 ? random() % 20'000 : std::size_t{1} << 20;
    if (random() % 4 == 0) options.sample_timeout = 10s;
    INFO("round " << round << ": " << samples << " samples, batch size " << *options.batch_size << ", "
                  << options.num_workers << " workers");
    DataLoader loader(crashing, options);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      REQUIRE(test::delivered_bytes(loader, epoch) == test::delivered_bytes(expected, epoch));
    }
    crashed += schedule.crashed();
  }
  CHECK(crashed > 0);
}

// Kills a random worker from time to time, as the one next to it in line may be.
TEST_CASE("64: the stream is that of the inline loader while workers are killed from outside", "[process]") {
  const std::uint64_t seed = seed_of_run();
  INFO("LEAT_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  const ArithmeticDataset dataset(20'000);
  const DataLoaderOptions options{.batch_size = 32,
                                  .shuffle = true,
                                  .num_workers = 3,
                                  .seed = seed,
                                  .on_warning = [](const std::string&) {}};
  DataLoader loader(dataset, options);
  std::vector<std::byte> delivered;
  for (const HostBatch& batch : loader.epoch(0)) {
    const auto values = batch["noise"].as<std::uint32_t>();
    const auto bytes = std::as_bytes(values);
    delivered.insert(delivered.end(), bytes.begin(), bytes.end());
    const std::vector<int> pids = loader.worker_pids();
    if (batch.number() % 10 == 0 && !pids.empty()) ::kill(pids[random() % pids.size()], SIGKILL);
  }
  auto inline_options = options;
  inline_options.num_workers = 0;
  DataLoader expected_loader(dataset, inline_options);
  std::vector<std::byte> expected;
  for (const HostBatch& batch : expected_loader.epoch(0)) {
    const auto bytes = std::as_bytes(batch["noise"].as<std::uint32_t>());
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  CHECK(delivered == expected);
}

}  // namespace
}  // namespace leat
