// What only processes can do: die, be stopped, outlive nobody.
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
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

int open_descriptors() {
  int count = 0;
  DIR* const folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;  // NOLINT(concurrency-mt-unsafe)
  ::closedir(folder);
  return count;
}

// Waits until the process is gone; false after ten seconds. It need not be our child.
bool gone(const UniqueFd& pidfd) {
  pollfd ended{pidfd.get(), POLLIN, 0};
  return ::poll(&ended, 1, 10000) == 1;
}

std::vector<UniqueFd> watch(const std::vector<int>& pids) {
  std::vector<UniqueFd> fds;
  for (const int pid : pids) fds.push_back(open_pidfd(pid));
  return fds;
}

TEST_CASE("29: as many worker processes as asked for load the samples, and none is the caller", "[process]") {
  class PidDataset final : public Dataset {
   public:
    std::size_t size() const override { return 400; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override { out.set(0, std::int64_t{::getpid()}); }

   private:
    Schema schema_{{{"pid", DType::i64, {}}}};
  };
  const PidDataset dataset;
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 3});
  const std::vector<int> pids = loader.worker_pids();
  const std::set<int> known(pids.begin(), pids.end());
  CHECK(known.size() == 3);
  CHECK(known.count(::getpid()) == 0);
  while (const auto batch = loader.next()) {
    for (const std::int64_t pid : (*batch)["pid"].as<std::int64_t>())
      CHECK(known.count(static_cast<int>(pid)) == 1);
  }
  CHECK(loader.worker_pids() == pids);
}

TEST_CASE("33: a loader abandoned in mid-epoch takes its workers with it", "[process]") {
  const ArithmeticDataset dataset(100);
  std::vector<UniqueFd> workers;
  {
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 4});
    workers = watch(loader.worker_pids());
    for (int batch = 0; batch < 11; ++batch) loader.next();
  }
  for (const UniqueFd& worker : workers) CHECK(gone(worker));
}

TEST_CASE("a worker that is stuck in a sample does not hold up the end of the loader for long", "[process]") {
  const HookedDataset dataset(4, [](std::size_t) { ::pause(); });
  std::vector<UniqueFd> workers;
  {
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2, .timeout = 50ms});
    workers = watch(loader.worker_pids());
    expect_error<TimeoutError>([&] { loader.next(); }, {"0.05 s"});
  }
  for (const UniqueFd& worker : workers) CHECK(gone(worker));
}

TEST_CASE("61: a batch that timed out may be asked for again", "[process]") {
  const SharedMemory gate("a gate", 1);
  auto* const open = reinterpret_cast<std::atomic<bool>*>(gate.bytes().data());
  const HookedDataset dataset(4, [open](std::size_t) {
    while (!open->load()) std::this_thread::yield();
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 1, .timeout = 20ms});
  expect_error<TimeoutError>([&] { loader.next(); });
  open->store(true);
  std::optional<HostBatch> batch;
  while (!batch) {
    try {
      batch = loader.next();
    } catch (const TimeoutError&) {  // a slow machine may take longer than the timeout still
    }
  }
  check_rows(*batch, 0);
}

// Ends in a failure where the fork server grants an orphan's workers the second that it grants others.
void kill_a_parent() {
  const SharedMemory shared("pids of the workers", sizeof(int) * 4);
  auto* const pids = reinterpret_cast<std::atomic<int>*>(shared.bytes().data());
  ChildProcess parent = ChildProcess::run([pids] {
    // Every sample takes a while, so that the workers are in one when the parent dies.
    const HookedDataset dataset(100000, [](std::size_t) { ::usleep(1000); });
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 3, .on_warning = [](const std::string&) {}});
    loader.next();
    const std::vector<int> workers = loader.worker_pids();
    for (std::size_t i = 0; i < 3; ++i) pids[i].store(workers[i]);
    pids[3].store(1);
    while (loader.next()) {
    }
    return 0;
  });
  while (pids[3].load() == 0) std::this_thread::yield();
  const std::vector<UniqueFd> workers = watch({pids[0].load(), pids[1].load(), pids[2].load()});
  const auto killed = std::chrono::steady_clock::now();
  parent.kill(SIGKILL);
  for (const UniqueFd& worker : workers) CHECK(gone(worker));
  CHECK(std::chrono::steady_clock::now() - killed < 900ms);
}

TEST_CASE("50: workers die with a parent that is killed, and at once", "[process]") {
  for (int kill = 0; kill < 30; ++kill) kill_a_parent();
}

TEST_CASE("a killed fork server is an error, and takes the workers with it", "[process]") {
  const ArithmeticDataset dataset(100000);
  DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});
  loader.next();
  const std::vector<UniqueFd> workers = watch(loader.worker_pids());
  const std::string stat = "/proc/" + std::to_string(loader.worker_pids()[0]) + "/stat";
  FILE* const file = std::fopen(stat.c_str(), "r");
  int fork_server = 0;
  REQUIRE(std::fscanf(file, "%*d (%*[^)]) %*c %d", &fork_server) == 1);
  std::fclose(file);
  ::kill(fork_server, SIGKILL);
  for (const UniqueFd& worker : workers) CHECK(gone(worker));
  expect_error<Error>(
      [&] {
        while (loader.next()) {
        }
      },
      {"fork server"});
}

TEST_CASE("loaders leave no descriptors, processes or memory behind", "[process]") {
  const ArithmeticDataset dataset(20);
  const int before = open_descriptors();
  for (int round = 0; round < 20; ++round) {
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});
    CHECK(loader.next());
  }
  CHECK(open_descriptors() == before);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left
  CHECK(errno == ECHILD);
}

TEST_CASE("56: loading works with few file descriptors", "[process]") {
  ChildProcess limited = ChildProcess::run([] {
    const rlimit limit{24, 24};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const ArithmeticDataset dataset(500);
    DataLoader loader(dataset, {.batch_size = 2, .num_workers = 4});
    int batches = 0;
    while (loader.next()) ++batches;
    return batches == 250 ? 0 : 1;
  });
  CHECK(limited.wait() == 0);
}

TEST_CASE("51: Ctrl-C to the whole group is left to the parent", "[process]") {
  const ArithmeticDataset dataset(100);
  DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});
  for (const int pid : loader.worker_pids()) ::kill(pid, SIGINT);
  std::size_t batches = 0;
  while (loader.next()) ++batches;
  CHECK(batches == 50);
}

TEST_CASE("35: workers start while the parent has busy threads that allocate", "[process]") {
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&stop] {
      while (!stop.load()) std::vector<int>(1000).shrink_to_fit();
    });
  }
  const ArithmeticDataset dataset(60);
  for (int round = 0; round < 10; ++round) {
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2});
    std::size_t batches = 0;
    while (loader.next()) ++batches;
    CHECK(batches == 15);
  }
  stop.store(true);
}

}  // namespace
}  // namespace leat
