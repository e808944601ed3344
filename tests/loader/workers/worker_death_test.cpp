// Workers that die: what was loaded by them, and what a user hears of it.
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/engine/loader_core.h"
#include "leat/loader/os/child_process.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::check_rows;
using test::expect_error;
using test::HookedDataset;

using namespace std::chrono_literals;

// Numbers that all processes share.
template <std::size_t n>
class SharedCounters {
 public:
  std::atomic<int>& operator[](std::size_t i) const {
    return reinterpret_cast<std::atomic<int>*>(memory_.bytes().data())[i];
  }

 private:
  SharedMemory memory_{"counters", n * sizeof(std::atomic<int>)};
};

struct Warnings {
  std::vector<std::string> texts;
  std::ptrdiff_t with(std::string_view part) const {
    return std::count_if(texts.begin(), texts.end(),
                         [part](const std::string& text) { return text.find(part) != std::string::npos; });
  }
  WarningHandler handler() {
    return [this](const std::string& text) { texts.push_back(text); };
  }
};

std::vector<std::byte> inline_bytes(const Dataset& dataset, DataLoaderOptions options) {
  options.num_workers = 0;
  options.sample_timeout = 0s;
  options.prefetch_factor.reset();
  DataLoader loader(dataset, options);
  return test::delivered_bytes(loader, 0);
}

// Every sort of end, each once, at sample 21.
void crash(std::size_t kind) {
  switch (kind) {
    case 0:
      ::raise(SIGKILL);
      break;
    case 1:
      ::raise(SIGSEGV);
      break;
    case 2:
      ::raise(SIGBUS);
      break;
    case 3:
      std::abort();
    case 4:
      ::_exit(0);
    case 5:
      std::exit(3);  // NOLINT(concurrency-mt-unsafe): what a user's code might do
    default:
      break;
  }
}

TEST_CASE("39, 47: a worker that ends in any way is replaced, and every sample still arrives once",
          "[process]") {
  for (std::size_t kind = 0; kind <= 5; ++kind) {
    INFO("kind " << kind);
    const SharedCounters<1> crashes;
    const HookedDataset dataset(100, [&](std::size_t index) {
      if (index == 21 && crashes[0].fetch_add(1) == 0) crash(kind);
    });
    Warnings warnings;
    const DataLoaderOptions options{
        .batch_size = 4, .shuffle = true, .num_workers = 2, .on_warning = warnings.handler()};
    DataLoader loader(dataset, options);
    CHECK(test::delivered_bytes(loader, 0) == inline_bytes(ArithmeticDataset(100), options));
    CHECK(loader.bad_sample_count() == 0);
    while (warnings.with("takes its place") == 0) loader.next();  // news come with waiting
    CHECK(warnings.with("takes its place") == 1);
    while (loader.worker_pids().size() < 2) loader.next();  // it is on its way
  }
}

TEST_CASE("47: exit() in get() runs none of the application's exit handlers in the worker", "[process]") {
  static const SharedCounters<2>* counters = nullptr;
  ChildProcess application = ChildProcess::run([] {
    const SharedCounters<2> own;
    counters = &own;
    std::atexit([] { (*counters)[0].fetch_add(1); });
    const HookedDataset dataset(10, [](std::size_t index) {
      if (index == 3 && (*counters)[1].fetch_add(1) == 0) std::exit(3);  // NOLINT(concurrency-mt-unsafe)
    });
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 1, .on_warning = [](const std::string&) {}});
    int batches = 0;
    while (loader.next()) ++batches;
    return batches == 5 && own[0].load() == 0 ? 0 : 1;
  });
  CHECK(application.wait() == 0);
}

TEST_CASE("49: a sample that ends every worker is reported by index after two, the rest is delivered",
          "[process]") {
  const HookedDataset dataset(60, [](std::size_t index) {
    if (index == 21) ::raise(SIGSEGV);
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 3, .on_warning = [](const std::string&) {}});
  std::vector<std::uint64_t> numbers;
  int errors = 0;
  for (bool more = true; more;) {
    try {
      const auto batch = loader.next();
      more = batch.has_value();
      if (!more) break;
      check_rows(*batch, 0);
      numbers.push_back(batch->number());
    } catch (const SampleError& error) {
      ++errors;
      CHECK(error.origin().index == 21);
      CHECK(error.origin().source == "number 21");
      CHECK(error.origin().deaths == 2);
      CHECK(error.origin().text.find("signal 11") != std::string::npos);
      CHECK(error.batch() == 5);
    }
  }
  CHECK(errors == 1);
  CHECK(numbers == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14});
}

TEST_CASE("49: neighbors in a chunk are not blamed for a poison sample", "[process]") {
  const HookedDataset dataset(64, [](std::size_t index) {
    if (index % 16 == 7) ::raise(SIGBUS);
  });
  DataLoader loader(dataset, {.batch_size = 16,
                              .num_workers = 2,
                              .on_bad_sample = SampleErrorPolicy::skip,
                              .on_warning = [](const std::string&) {}});
  std::size_t samples = 0;
  while (const auto batch = loader.next()) {
    check_rows(*batch, 0);
    CHECK(batch->size() == 15);
    samples += batch->size();
  }
  CHECK(samples == 60);
  CHECK(loader.bad_sample_count() == 4);
  for (const BadSample& bad : loader.bad_samples()) CHECK(bad.origin.index == 16 * bad.batch + 7);
}

TEST_CASE("49: SIGKILL, which may come from outside, is held against a sample only at the third time",
          "[process]") {
  const SharedCounters<1> kills;
  const HookedDataset dataset(40, [&](std::size_t index) {
    if (index == 5 && kills[0].fetch_add(1) < 2) ::raise(SIGKILL);
    if (index == 30) ::raise(SIGKILL);
  });
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 1,
                              .on_bad_sample = SampleErrorPolicy::skip,
                              .on_warning = [](const std::string&) {}});
  std::size_t samples = 0;
  while (const auto batch = loader.next()) samples += batch->size();
  CHECK(samples == 39);
  REQUIRE(loader.bad_sample_count() == 1);
  CHECK(loader.bad_samples()[0].origin.index == 30);
  CHECK(loader.bad_samples()[0].origin.deaths == 3);
}

TEST_CASE("a worker whose start ends its process each time is an error, however well the others do",
          "[process]") {
  for (void (*die)() : {+[] { ::raise(SIGSEGV); }, +[] { ::_exit(3); }, +[] { std::exit(0); }}) {
    for (const int healthy : {0, 1}) {
      const ArithmeticDataset dataset(1000000);
      DataLoader loader(dataset, {.batch_size = 50,
                                  .num_workers = 1 + healthy,
                                  .worker_init_fn =
                                      [=](int worker) {
                                        if (worker == healthy) die();
                                      },
                                  .on_warning = [](const std::string&) {}});
      const auto load_all = [&] {
        while (loader.next()) {
        }
      };
      const std::string name = "worker " + std::to_string(healthy) + " never comes";
      expect_error<WorkerInitError>(load_all, {name, "worker_init_fn", "as those before it"});
      expect_error<WorkerInitError>([&] { loader.next(); }, {name});
      expect_error<WorkerInitError>([&] { loader.start_epoch(3); }, {name});
    }
  }
}

TEST_CASE("failed starts of a worker count only where they follow each other", "[process]") {
  const SharedCounters<1> starts;
  const ArithmeticDataset dataset(40);
  LoaderCore loader(dataset, {.batch_size = 4,
                              .num_workers = 1,
                              .worker_init_fn =
                                  [&](int) {
                                    if (starts[0]++ % 3 != 2) ::_exit(3);
                                  },
                              .on_warning = [](const std::string&) {}});
  for (int life = 0; life < 3; ++life) {
    std::size_t batches = 0;
    for (; const auto batch = loader.next(); ++batches) check_rows(*batch, 0);
    CHECK(batches == 10);
    ::kill(loader.scheduler().table().worker_record(0).pid.load(), SIGKILL);
  }
}

TEST_CASE("a worker that is killed while it starts is replaced, unless that happens each time", "[process]") {
  const SharedCounters<1> starts;
  const ArithmeticDataset dataset(40);
  for (const bool always : {false, true}) {
    starts[0] = 0;
    DataLoader loader(dataset, {.batch_size = 4,
                                .num_workers = 1,
                                .worker_init_fn =
                                    [&](int) {
                                      if (always || starts[0]++ < 8) ::raise(SIGKILL);
                                    },
                                .on_warning = [](const std::string&) {}});
    if (always) {
      expect_error<WorkerInitError>([&] { loader.next(); }, {"worker 0", "signal 9", "as those before it"});
    } else {
      std::size_t batches = 0;
      for (; const auto batch = loader.next(); ++batches) check_rows(*batch, 0);
      CHECK(batches == 10);
    }
  }
}

TEST_CASE("a worker that ends by itself again and again while it waits for work is given up", "[process]") {
  const ArithmeticDataset dataset(4);
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 1,
                              .worker_init_fn =
                                  [](int) {
                                    const itimerval soon{.it_interval = {0, 0}, .it_value = {0, 20'000}};
                                    ::setitimer(ITIMER_REAL, &soon, nullptr);  // SIGALRM ends the process
                                  },
                              .on_warning = [](const std::string&) {}});
  while (loader.next()) {
  }
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  // The fourth process is the last one.
  while (loader.stats().restarts < 3 || !loader.worker_pids().empty()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    REQUIRE(loader.stats().restarts <= 3);
    std::this_thread::yield();
  }
  expect_error<WorkerError>([&] { loader.next(); }, {"not replaced", "signal 14"});
  CHECK(loader.stats().restarts == 3);
}

TEST_CASE("40, 49: where every sample ends its workers, each batch is an error, then the epoch ends",
          "[process]") {
  const HookedDataset dataset(9, [](std::size_t) { std::abort(); });
  DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2, .on_warning = [](const std::string&) {}});
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    expect_error<SampleError>([&] { loader.next(); },
                              {"sample " + std::to_string(2 * batch), "2 worker processes", "signal 6"});
  }
  CHECK_FALSE(loader.next());
}

TEST_CASE("62: a worker that hangs in a sample is killed at the deadline, and the sample tried once more",
          "[process]") {
  const SharedCounters<1> hung;
  const HookedDataset dataset(40, [&](std::size_t index) {
    if (index == 13 && hung[0].fetch_add(1) == 0) ::pause();
    if (index == 29) ::pause();
  });
  Warnings warnings;
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 2,
                              .sample_timeout = 200ms,
                              .on_bad_sample = SampleErrorPolicy::skip,
                              .on_warning = warnings.handler()});
  std::size_t samples = 0;
  while (const auto batch = loader.next()) {
    check_rows(*batch, 0);
    samples += batch->size();
  }
  CHECK(samples == 39);
  REQUIRE(loader.bad_sample_count() == 1);
  CHECK(loader.bad_samples()[0].origin.index == 29);
  CHECK(loader.bad_samples()[0].origin.text.find("0.2 s") != std::string::npos);
}

TEST_CASE("62: the deadline of a sample does not count what its next worker does before it loads one",
          "[process]") {
  const SharedCounters<1> hung;
  const HookedDataset dataset(8, [&](std::size_t index) {
    if (index == 3 && hung[0].fetch_add(1) == 0) ::pause();
  });
  Warnings warnings;
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 1,
                              .sample_timeout = 100ms,
                              .worker_init_fn = [](int) { std::this_thread::sleep_for(500ms); },
                              .on_warning = warnings.handler()});
  std::size_t batches = 0;
  for (; const auto batch = loader.next(); ++batches) check_rows(*batch, 0);
  CHECK(batches == 2);
  CHECK(hung[0] == 2);
  CHECK(warnings.with("takes its place") == 1);
}

TEST_CASE("53: a worker that is stopped meets the same deadline", "[process]") {
  const SharedCounters<1> stopped;
  const HookedDataset dataset(40, [&](std::size_t index) {
    if (index == 13 && stopped[0].fetch_add(1) == 0) ::raise(SIGSTOP);
  });
  DataLoader loader(
      dataset,
      {.batch_size = 4, .num_workers = 2, .sample_timeout = 200ms, .on_warning = [](const std::string&) {}});
  std::size_t batches = 0;
  for (; const auto batch = loader.next(); ++batches) check_rows(*batch, 0);
  CHECK(batches == 10);
}

TEST_CASE("63: an idle worker is never overdue", "[process]") {
  const ArithmeticDataset dataset(40);
  Warnings warnings;
  DataLoader loader(
      dataset, {.batch_size = 4, .num_workers = 2, .sample_timeout = 20ms, .on_warning = warnings.handler()});
  const std::vector<int> pids = loader.worker_pids();
  CHECK(loader.next());
  std::this_thread::sleep_for(200ms);  // a slow consumer: the passing of time is what is tested
  while (loader.next()) {
  }
  CHECK(loader.worker_pids() == pids);
  CHECK(warnings.with("takes its place") == 0);
}

TEST_CASE("a worker that is killed while it waits for work is replaced", "[process]") {
  const ArithmeticDataset dataset(40);
  Warnings warnings;
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2, .on_warning = warnings.handler()});
  for (int round = 0; round < 20; ++round) {
    for (const int pid : loader.worker_pids()) ::kill(pid, SIGKILL);
    std::size_t batches = 0;
    for (; const auto batch = loader.next(); ++batches) check_rows(*batch, 0);
    CHECK(batches == 10);
  }
}

template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// Kills the one worker six times, each time when it waits for work.
void kill_idle_worker(const WorkerRecord& record) {
  for (int kill = 0; kill < 6; ++kill) {
    REQUIRE(comes_true([&] { return record.up.load(); }));
    const std::uint32_t starts = record.starts.load();
    ::kill(record.pid.load(), SIGKILL);
    REQUIRE(comes_true([&] { return record.starts.load() > starts; }));
  }
  REQUIRE(comes_true([&] { return record.up.load(); }));
}

TEST_CASE("workers that are killed while they wait are replaced, however many", "[process]") {
  const ArithmeticDataset dataset(40);
  LoaderCore loader(dataset, {.batch_size = 4, .num_workers = 1, .on_warning = [](const std::string&) {}});
  const WorkerRecord& record = loader.scheduler().table().worker_record(0);
  kill_idle_worker(record);
  auto batch = loader.next();
  for (std::size_t batches = 1; batches <= 10; ++batches, batch = loader.next()) {
    REQUIRE(batch);
    check_rows(*batch, 0);
    if (batches != 3) continue;
    // The consumer is slow, and all that may be loaded is.
    REQUIRE(comes_true(
        [&] { return loader.scheduler().counts().ready == loader.scheduler().counts().in_flight; }));
    REQUIRE(comes_true([&] { return record.busy_since.load() == 0; }));
    kill_idle_worker(record);
  }
  CHECK_FALSE(batch);
  CHECK(loader.stats().restarts == 12);
}

TEST_CASE("33: a worker may die in a batch that was abandoned", "[process]") {
  const SharedCounters<2> shared;
  const HookedDataset dataset(8, [&](std::size_t index) {
    if (index != 1 || shared[0].fetch_add(1) > 0) return;
    while (shared[1].load() == 0) std::this_thread::yield();
    ::raise(SIGKILL);
  });
  DataLoader loader(
      dataset, {.batch_size = 2, .num_workers = 1, .max_held_batches = 1, .on_warning = [](const auto&) {}});
  while (shared[0].load() == 0) loader.start_epoch(0);
  loader.start_epoch(1);
  shared[1].store(1);
  for (std::uint64_t epoch = 1; epoch < 5; ++epoch) {
    std::size_t batches = 0;
    for (const HostBatch& batch : loader.epoch(epoch)) {
      check_rows(batch, 0);
      ++batches;
    }
    CHECK(batches == 4);  // no slot was lost
  }
}

TEST_CASE("forks that fail leave fewer workers, or an error and nothing behind", "[process]") {
  if (::getuid() != 0) {
    WARN("SKIPPED: needs root, to become a user with a limit of processes");
    return;
  }
  const auto load_with_processes = [](rlim_t processes) {
    ChildProcess limited = ChildProcess::run([processes] {
      const rlimit limit{processes, processes};
      if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || ::setresuid(54321, 54321, 54321) != 0) return 4;
      const ArithmeticDataset dataset(60);
      Warnings warnings;
      try {
        DataLoader loader(dataset, {.batch_size = 4, .num_workers = 4, .on_warning = warnings.handler()});
        int batches = 0;
        while (loader.next()) ++batches;
        if (batches != 15) return 5;
        return warnings.with("of 4 worker processes") == 1 ? 0 : 6;
      } catch (const SystemError&) {
        return 2;
      }
    });
    return WEXITSTATUS(limited.wait());
  };
  CHECK(load_with_processes(4) == 0);  // itself, the fork server, two workers
  CHECK(load_with_processes(2) == 2);
  CHECK(load_with_processes(1) == 2);
}

}  // namespace
}  // namespace leat
