// Measurements of the workers' memory, and of the time after a worker or its parent is killed.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>

#include "bench/latency/cases.h"
#include "bench/latency/timed_dataset.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"

namespace leat::bench {

using namespace detail;

namespace {

using namespace std::chrono_literals;

const auto kQuiet = [](const std::string&) {};

// Returns the proportional set size, in MiB, of a process's mappings, except those of a memfd.
double pss_without_slots(int pid) {
  std::ifstream smaps(fmt::format("/proc/{}/smaps", pid));
  double kib = 0;
  bool counted = true;
  for (std::string line; std::getline(smaps, line);) {
    const bool header = line.find('-') < line.find(' ');
    if (header) counted = line.find("/memfd:leat") == std::string::npos;
    if (counted && line.starts_with("Pss:")) kib += std::stod(line.substr(4));
  }
  return kib / 1024;
}

Figure memory_of_a_worker() {
  const TimedDataset dataset(20'000, [](std::size_t) { return 0ms; });
  DataLoader loader(dataset, {.batch_size = 64, .num_workers = 4, .on_warning = kQuiet});
  while (loader.next()) {
  }
  Figure figure{"Pss of a worker without slots", "MiB", 4, {}};
  for (const int pid : loader.worker_pids()) figure.values.push_back(pss_without_slots(pid));
  return figure;
}

double first_of_a_billion() {
  const TimedDataset dataset(1'000'000'000, [](std::size_t) { return 0ms; });
  return milliseconds_of([&] {
    DataLoader loader(dataset, {.shuffle = true});
    if (!loader.next()) throw std::runtime_error("no sample");
  });
}

// Returns the time from SIGKILL of one of two workers until a new process has loaded a sample.
double recovery() {
  const TimedDataset dataset(100'000, [](std::size_t) { return 200us; });
  DataLoader loader(dataset, {.batch_size = 8, .num_workers = 2, .on_warning = kQuiet});
  loader.next();
  const std::vector<int> pids = loader.worker_pids();
  const std::set<int> known(pids.begin(), pids.end());
  std::int64_t working_since = 0;
  const std::int64_t killed = std::chrono::steady_clock::now().time_since_epoch().count();
  ::kill(pids[0], SIGKILL);
  while (working_since == 0) {
    const auto batch = loader.next();
    const auto by = (*batch)["pid"].as<std::int32_t>();
    const auto at = (*batch)["ended"].as<std::int64_t>();
    for (std::size_t row = 0; row < by.size(); ++row) {
      if (!known.contains(by[row]) && (working_since == 0 || at[row] < working_since))
        working_since = at[row];
    }
  }
  return static_cast<double>(working_since - killed) / 1e6;
}

// Returns the time from SIGKILL of the process that owns a loader until the last of its four workers is gone.
double orphans() {
  const SharedMemory shared("pids", 5 * sizeof(std::atomic<int>));
  auto* const pids = reinterpret_cast<std::atomic<int>*>(shared.bytes().data());
  ChildProcess parent = ChildProcess::run([pids] {
    const TimedDataset dataset(1'000'000, [](std::size_t) { return 100us; });
    DataLoader loader(dataset, {.batch_size = 8, .num_workers = 4, .on_warning = kQuiet});
    loader.next();
    const std::vector<int> workers = loader.worker_pids();
    for (std::size_t i = 0; i < 4; ++i) pids[i].store(workers[i]);
    pids[4].store(1);
    while (loader.next()) {
    }
    return 0;
  });
  while (pids[4].load() == 0) std::this_thread::yield();
  std::vector<UniqueFd> workers;
  for (std::size_t i = 0; i < 4; ++i) workers.push_back(open_pidfd(pids[i].load()));
  return milliseconds_of([&] {
    parent.kill(SIGKILL);
    for (const UniqueFd& worker : workers) {
      pollfd gone{worker.get(), POLLIN, 0};
      if (::poll(&gone, 1, 10'000) != 1) throw std::runtime_error("a worker outlived its parent");
    }
  });
}

}  // namespace

std::vector<Figure> memory() {
  return {memory_of_a_worker(), measure("a billion samples shuffled: constructor and first sample", "ms", 10,
                                        9, first_of_a_billion)};
}

std::vector<Figure> faults() {
  Figure p99 =
      measure("SIGKILL of a worker until its replacement has loaded, p99 of 60", "ms", 100, 60, recovery);
  Figure p50 = p99;
  p50.name = "the same, median";
  p99.values = {percentile(p99.values, 0.99)};
  Figure worst =
      measure("SIGKILL of the parent until its workers are gone, worst of 1,000", "ms", 100, 1000, orphans);
  Figure orphans_p50 = worst, orphans_p99 = worst;
  orphans_p50.name = "the same, median";
  orphans_p99.name = "the same, p99";
  orphans_p99.values = {percentile(worst.values, 0.99)};
  worst.values = {percentile(worst.values, 1)};
  return {p99, p50, worst, orphans_p50, orphans_p99};
}

}  // namespace leat::bench
