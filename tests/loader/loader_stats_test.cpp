#include "leat/loader/loader_stats.h"
#include "leat/loader/engine/diagnosis.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "leat/loader/data_loader.h"
#include "leat/loader/engine/batch_scheduler.h"
#include "leat/loader/engine/loader_meter.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/workers/worker.h"
#include "leat/loader/workers/worker_tuner.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/temporary_folder.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::Workers;

LoaderStats diagnosed(double wait_share, double busy_share, int workers, double cpus) {
  LoaderStats stats;
  stats.seconds = 10;
  stats.batches = 100;
  stats.wait_share = wait_share;
  stats.busy_share = busy_share;
  stats.active_workers = workers;
  diagnose(stats, cpus);
  return stats;
}

TEST_CASE("the bottleneck follows the consumer's waiting, the advice what the workers do meanwhile") {
  CHECK(diagnosed(0.5, 0.95, 2, 8).bottleneck == Bottleneck::loader);
  CHECK(diagnosed(0.5, 0.95, 2, 8).advice.find("raise num_workers") != std::string::npos);
  CHECK(diagnosed(0.5, 0.95, 8, 8).advice.find("make samples cheaper") != std::string::npos);
  CHECK(diagnosed(0.5, 0.30, 8, 8).advice.find("prefetch_factor") != std::string::npos);
  CHECK(diagnosed(0.5, 0, 0, 8).advice.find("give it workers") != std::string::npos);
  CHECK(diagnosed(0.05, 0.9, 2, 8).bottleneck == Bottleneck::balanced);
  CHECK(diagnosed(0.001, 0.2, 8, 8).bottleneck == Bottleneck::consumer);
  CHECK(diagnosed(0.001, 0.2, 8, 8).advice.find("2 of its 8 workers") != std::string::npos);
  CHECK(diagnosed(0.001, 0.9, 2, 8).advice == "the loader keeps up");
  LoaderStats early;
  diagnose(early, 2);
  CHECK(early.bottleneck == Bottleneck::unknown);
}

LEAT_LOADER_TEST(fresh, "a loader that has delivered nothing yet can be asked for everything") {
  const ArithmeticDataset dataset(100);
  const DataLoader loader(dataset, workers.with({.batch_size = 4}));
  const LoaderStats stats = loader.stats();
  CHECK(stats.batches == 0);
  CHECK(stats.samples == 0);
  CHECK(stats.samples_per_second == 0);
  CHECK(stats.wait_seconds == 0);
  CHECK(stats.busy_share == 0);
  CHECK(stats.slots_leased == 0);
  CHECK(stats.bottleneck == Bottleneck::unknown);
  REQUIRE(stats.workers.size() == static_cast<std::size_t>(workers.number));
  for (const WorkerStats& worker : stats.workers) CHECK(worker.samples == 0);
  CHECK(loader.size() == 25);
  CHECK(loader.state().to_json() == DataLoader(dataset, workers.with({.batch_size = 4})).state().to_json());
  CHECK(loader.bad_sample_count() == 0);
  CHECK(loader.bad_samples().empty());
}

LEAT_LOADER_TEST(counts, "stats count what was delivered and who loaded it") {
  const ArithmeticDataset dataset(100);
  DataLoader loader(dataset, workers.with({.batch_size = 4}));
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    while (loader.next()) {
    }
    const LoaderStats stats = loader.stats();
    CHECK(stats.batches == 25);
    CHECK(stats.samples == 100);
    CHECK(stats.seconds > 0);
    CHECK(stats.wait_seconds <= stats.seconds);
    CHECK(stats.slots_leased == 0);
    CHECK(stats.restarts == 0);
    CHECK(stats.bad_samples == 0);
    REQUIRE(stats.workers.size() == static_cast<std::size_t>(workers.number));
    std::uint64_t loaded = 0;
    for (const WorkerStats& worker : stats.workers) loaded += worker.samples;
    CHECK(loaded == (workers.number == 0 ? 0 : 100));
    CHECK_FALSE(stats.advice.empty());
  }
}

TEST_CASE("the tuner adds workers while that helps, and takes back a step that does not") {
  // Three workers' worth of data per second can be used; each worker gives one.
  WorkerTuner tuner(1, 8);
  int most = 0;
  for (int interval = 0; interval < 200; ++interval) {
    const double given = std::min(tuner.workers(), 3);
    most = std::max(most, tuner.workers());
    tuner.next(
        {.seconds = 1, .waited = tuner.workers() < 3 ? 0.5 : 0.2, .samples = 100 * given, .busy = given});
  }
  CHECK(most <= 5);
  int at_three = 0;
  for (int interval = 0; interval < 100; ++interval) {
    at_three += tuner.workers() == 3 ? 1 : 0;
    const double given = std::min(tuner.workers(), 3);
    tuner.next({.seconds = 1, .waited = 0.2, .samples = 100 * given, .busy = given});
  }
  CHECK(at_three >= 90);
}

TEST_CASE("the tuner lets idle workers go, down to one, and no further than keeps the consumer fed") {
  WorkerTuner idle(8, 8);
  for (int interval = 0; interval < 100; ++interval)
    idle.next({.seconds = 1, .waited = 0, .samples = 10, .busy = 0.1});
  CHECK(idle.workers() == 1);
  WorkerTuner needed(8, 8);
  for (int interval = 0; interval < 100; ++interval) {
    needed.next({.seconds = 1, .waited = 0, .samples = 100, .busy = 3.5});
  }
  CHECK(needed.workers() == 5);
  needed.next({});  // an empty interval says nothing
  CHECK(needed.workers() == 5);
}

TEST_CASE("the tuner takes a worker back that the consumer waits for") {
  WorkerTuner tuner(4, 8);
  tuner.next({.seconds = 1, .waited = 0, .samples = 100, .busy = 1});
  REQUIRE(tuner.workers() == 3);
  tuner.next({.seconds = 1, .waited = 0.2, .samples = 100, .busy = 2.9});
  CHECK(tuner.workers() == 4);
}

TEST_CASE("workers share the CPUs as neighbors, where there are two for each") {
  const std::vector<int> cpus{0, 1, 2, 3, 8, 9, 10, 11};
  CHECK(share_of(cpus, 0, 4) == std::vector<int>{0, 1});
  CHECK(share_of(cpus, 3, 4) == std::vector<int>{10, 11});
  CHECK(share_of(cpus, 1, 3) == std::vector<int>{2, 3, 8});
  CHECK(share_of(cpus, 2, 5) == cpus);
}

TEST_CASE("a trace holds every chunk, wait and lease, and is JSON", "[process]") {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "trace.json").string();
  REQUIRE(::setenv("LEAT_TRACE", file.c_str(), 1) == 0);
  {
    const ArithmeticDataset dataset(12);
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2});
    ::unsetenv("LEAT_TRACE");
    REQUIRE(loader.next());
    // A helper of the program that leaves as exit() does adds nothing to the file.
    CHECK(ChildProcess::run([] { return std::fflush(nullptr); }).wait() == 0);
    while (loader.next()) {
    }
  }
  const auto events = nlohmann::json::parse(std::ifstream(file));
  std::size_t rows = 0, leases = 0;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    CHECK(event["dur"].get<double>() >= 0);
    const int track = event["tid"];
    if (track == 100 || track == 101) rows += std::stoul(event["name"].get<std::string>());
    leases += event["name"] == "leased" ? 1 : 0;
  }
  CHECK(rows == 12);
  CHECK(leases == 3);
}

TEST_CASE("workers that are renewed for an epoch were not restarted", "[process]") {
  const ArithmeticDataset dataset(12);
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2, .persistent_workers = false});
  for (int epoch = 0; epoch < 3; ++epoch) {
    while (loader.next()) {
    }
    CHECK(loader.stats().restarts == 0);
  }
}

TEST_CASE("an interval of the second epoch counts its own samples only") {
  const ArithmeticDataset dataset(40);
  DataLoader loader(dataset, {.batch_size = 4});
  while (loader.next()) {
  }
  // The tuner's view of a loader, on a scheduler of the same kind.
  const auto scheduler = std::make_shared<BatchScheduler>(
      BatchLayout(dataset.schema(), 4),
      SchedulerOptions{.depth = 1, .max_held_batches = 1, .forks = Forks::copy});
  const WorkerOptions options{};
  const WorkerJob job{.table = scheduler->table(), .dataset = dataset, .options = options};
  LoaderMeter meter(*scheduler, 0);
  const auto load = [&](std::uint64_t epoch, std::size_t batches) {
    meter.begin_epoch();
    scheduler->begin_epoch({.epoch = epoch,
                            .batches = std::make_shared<FixedSizeBatchSampler>(
                                std::make_shared<SequentialSampler>(dataset.size()), 4, false),
                            .earlier = {},
                            .done = {},
                            .dataset_size = dataset.size()});
    for (std::size_t batch = 0; batch < batches; ++batch) {
      REQUIRE(load_one_chunk(job));
      REQUIRE(scheduler->take());
    }
  };
  WorkerTuner::Interval interval;
  load(0, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // an interval has a length
  REQUIRE(meter.interval(interval));
  CHECK(interval.samples == 40);
  load(1, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  REQUIRE(meter.interval(interval));
  CHECK(interval.samples == 8);
}

}  // namespace
}  // namespace leat
