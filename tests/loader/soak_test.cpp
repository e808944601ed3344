// A worker is killed every 100 ms, for as long as LEAT_SOAK_SECONDS says (20 where it is not set).
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"

namespace leat {
namespace {

using test::ArithmeticDataset;

using std::chrono::steady_clock;

double soak_seconds() {
  const char* const given = std::getenv("LEAT_SOAK_SECONDS");  // NOLINT(concurrency-mt-unsafe): read once
  return given != nullptr ? std::strtod(given, nullptr) : 20;
}

std::size_t entries(const std::string& folder) {
  const std::filesystem::directory_iterator begin(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

std::size_t mappings(int pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

std::size_t kib_of(int pid, const std::string& key) {
  std::ifstream rollup("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with(key)) return std::stoul(line.substr(key.size()));
  }
  return 0;
}

int parent_of(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string skipped;
  int parent = 0;
  stat >> skipped >> skipped >> skipped >> parent;
  return parent;
}

// What must not grow, of the application and of the fork server. Pss is without the pages of files: those of this
// program are shared by the other tests that run at the time, and weigh more when these end.
struct Footprint {
  std::size_t fds, maps, rss_kib, pss_kib;
  std::size_t fork_server_fds, fork_server_maps, fork_server_rss_kib;

  static Footprint take(const DataLoader& loader) {
    const int self = ::getpid();
    std::vector<int> pids = loader.worker_pids();
    while (pids.empty()) pids = loader.worker_pids();  // all were killed a moment ago
    const int fork_server = parent_of(pids[0]);
    return {entries("/proc/self/fd"),
            mappings(self),
            kib_of(self, "Rss:"),
            kib_of(self, "Pss_Anon:") + kib_of(self, "Pss_Shmem:"),
            entries("/proc/" + std::to_string(fork_server) + "/fd"),
            mappings(fork_server),
            kib_of(fork_server, "Rss:")};
  }
};

TEST_CASE("55, 64: workers are killed all the time, and nothing is lost, doubled or left behind", "[slow]") {
  const auto end = steady_clock::now() + std::chrono::duration<double>(soak_seconds());
  const ArithmeticDataset dataset(3000);
  std::mt19937_64 random(1);
  DataLoader loader(
      dataset,
      {.batch_size = 16, .shuffle = true, .num_workers = 3, .seed = 3, .on_warning = [](const std::string&) {
       }});
  DataLoader expected(dataset, {.batch_size = 16, .shuffle = true, .seed = 3});
  auto next_kill = steady_clock::now();
  std::uint64_t kills = 0, wrong = 0, epoch = 0;
  std::optional<Footprint> before;
  for (; steady_clock::now() < end; ++epoch) {
    for (const HostBatch& batch : loader.epoch(epoch)) {
      if (batch.number() == 0) expected.start_epoch(epoch);
      const auto right = expected.next();
      const auto noise = batch["noise"].as<std::uint32_t>(),
                 right_noise = (*right)["noise"].as<std::uint32_t>();
      wrong += std::equal(noise.begin(), noise.end(), right_noise.begin(), right_noise.end()) ? 0 : 1;
      if (steady_clock::now() < next_kill) continue;
      const std::vector<int> pids = loader.worker_pids();
      if (!pids.empty()) kills += ::kill(pids[random() % pids.size()], SIGKILL) == 0 ? 1 : 0;
      next_kill += std::chrono::milliseconds(100);
    }
    if (epoch == 20) before = Footprint::take(loader);
  }
  REQUIRE(before);
  REQUIRE(before->pss_kib > 0);  // 0: this kernel does not tell
  const Footprint after = Footprint::take(loader);
  INFO(epoch << " epochs, " << kills << " kills");
  WARN("" << epoch << " epochs of " << loader.size() << " batches, " << kills << " workers killed, " << wrong
          << " batches wrong");
  CHECK(kills > 0);
  CHECK(wrong == 0);
  CHECK(loader.bad_sample_count() == 0);
  CHECK(after.fds == before->fds);
  CHECK(after.maps <= before->maps + 2);
  CHECK(after.rss_kib <= before->rss_kib + 1024);
  CHECK(after.pss_kib <= before->pss_kib + 1024);
  CHECK(after.fork_server_fds <=
        before->fork_server_fds + 1);  // between a death and the next fork there is one fewer
  CHECK(after.fork_server_maps <= before->fork_server_maps + 2);
  CHECK(after.fork_server_rss_kib <= before->fork_server_rss_kib + 1024);
}

TEST_CASE("55: a hundred epochs leave the memory of the application and its workers as it was", "[slow]") {
  const ArithmeticDataset dataset(2000);
  DataLoader loader(dataset, {.batch_size = 16, .shuffle = true, .num_workers = 2});
  const auto run = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t epoch = first; epoch < last; ++epoch) {
      for (const HostBatch& batch : loader.epoch(epoch)) {
        if (epoch % 5 == 4 && batch.number() == 7) break;
      }
    }
  };
  run(0, 10);
  const Footprint before = Footprint::take(loader);
  const std::size_t worker_rss = kib_of(loader.worker_pids()[0], "Rss:");
  run(10, 110);
  const Footprint after = Footprint::take(loader);
  CHECK(after.fds == before.fds);
  CHECK(after.maps <= before.maps + 2);
  CHECK(after.rss_kib <= before.rss_kib + 512);
  CHECK(after.fork_server_rss_kib <= before.fork_server_rss_kib + 512);
  CHECK(kib_of(loader.worker_pids()[0], "Rss:") <= worker_rss + 512);
}

}  // namespace
}  // namespace leat
