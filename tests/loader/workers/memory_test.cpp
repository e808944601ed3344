// Memory that is limited, and memory that is shared.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/cache.h"
#include "leat/datasets/in_memory.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/memory_cgroup.h"

namespace leat {

using namespace leat::detail;

namespace {

constexpr std::size_t kMiB = 1 << 20;

// Runs `body` in a process of a memory group, and returns the text it returned. nullopt: no group can be made here.
std::optional<std::string> in_group(std::size_t bytes, const std::function<std::string()>& body) {
  const auto group = test::MemoryCgroup::make(bytes);
  if (!group) return std::nullopt;
  const SharedMemory text("an answer", 4096);
  auto* const answer = reinterpret_cast<char*>(text.bytes().data());
  ChildProcess child = ChildProcess::run([&] {
    group->join();
    std::strncpy(answer, body().c_str(), 4095);
    return 0;
  });
  CHECK(describe_wait_status(child.wait()) == "exited with status 0");
  return std::string(answer);
}

// Takes what no machine of this test's group has.
void take_memory(std::size_t bytes) {
  auto* const taken =
      static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t page = 0; page < bytes; page += 4096) taken[page] = 1;
}

TEST_CASE("a worker that reaches the memory limit is replaced, and its sample named", "[process]") {
  const auto answer = in_group(256 * kMiB, [] {
    const test::HookedDataset dataset(60, [](std::size_t index) {
      if (index == 17) take_memory(1024 * kMiB);
    });
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2, .on_bad_sample = SampleErrorPolicy::skip});
    std::size_t rows = 0;
    while (const auto batch = loader.next()) rows += batch->size();
    const auto bad = loader.bad_samples();
    return std::to_string(rows) + " rows; " +
           (bad.empty() ? std::string() : std::to_string(bad[0].origin.index) + ": " + bad[0].origin.text);
  });
  if (!answer) {
    std::cout << "SKIPPED: no memory control group can be made here\n";
    return;
  }
  INFO(*answer);
  CHECK(answer->starts_with("59 rows; 17: "));
  CHECK(answer->find("memory limit of its control group") != std::string::npos);
}

TEST_CASE("slots beyond the memory limit are refused with both numbers", "[process]") {
  const auto answer = in_group(256 * kMiB, [] {
    const InMemoryDataset dataset(
        {InMemoryDataset::column<std::uint8_t>("x", {16 * kMiB}, std::vector<std::uint8_t>(16 * kMiB))});
    try {
      const DataLoader loader(dataset, {.batch_size = 100, .num_workers = 1});
    } catch (const MemoryError& error) {
      return std::string(error.what());
    }
    return std::string("was not refused");
  });
  if (!answer) {
    std::cout << "SKIPPED: no memory control group can be made here\n";
    return;
  }
  INFO(*answer);
  CHECK(answer->find("batch slots") != std::string::npos);
}

// Sample i is 1 MiB of i.
class Mebibytes final : public Dataset {
 public:
  std::size_t size() const override { return 200; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    std::ranges::fill(out.values<std::uint8_t>(0), static_cast<std::uint8_t>(index));
  }

 private:
  Schema schema_{{{"x", DType::u8, {kMiB}}}};
};

// The cache is promised 200 MiB of 256, and then another takes 128 of them.
TEST_CASE("a cache stops storing before it reaches the memory limit", "[process]") {
  const auto answer = in_group(256 * kMiB, [] {
    const Mebibytes dataset;
    const Cache cache(dataset, 200 * kMiB);
    take_memory(128 * kMiB);
    DataLoader loader(cache, {.batch_size = 4, .num_workers = 2});
    std::size_t right = 0;
    for (const std::uint64_t epoch : {0, 1}) {
      for (const HostBatch& batch : loader.epoch(epoch)) {
        for (std::size_t row = 0; row < batch.size(); ++row) {
          const auto values = batch["x"].rows(row, row + 1).as<std::uint8_t>();
          const auto wanted = static_cast<std::ptrdiff_t>(kMiB);
          right += std::ranges::count(values, batch.indices()[row]) == wanted ? 1 : 0;
        }
      }
    }
    const CacheStats stats = cache.stats();
    return std::to_string(right) + " right, " + (stats.out_of_memory ? "out of memory, " : "all kept, ") +
           (stats.stored > 20 && stats.hits == stats.stored ? "some kept"
                                                            : std::to_string(stats.stored) + " kept");
  });
  if (!answer) {
    std::cout << "SKIPPED: no memory control group can be made here\n";
    return;
  }
  CHECK(*answer == "400 right, out of memory, some kept");
}

std::size_t kib_of(int pid, const std::string& key) {
  std::ifstream rollup("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with(key)) return std::stoul(line.substr(key.size()));
  }
  return 0;
}

// Private memory, not Pss: what other programs share with this one at the moment does not matter to it.
TEST_CASE("60: sixteen workers that have read a large dataset hold none of it themselves", "[process]") {
  constexpr std::size_t kRows = 4096, kRowBytes = 65536;  // 256 MiB
  std::vector<std::uint8_t> values(kRows * kRowBytes);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  const InMemoryDataset dataset({InMemoryDataset::column<std::uint8_t>("x", {kRowBytes}, values)});
  DataLoader loader(dataset,
                    {.batch_size = 64, .shuffle = true, .num_workers = 16, .on_warning = [](auto&) {}});
  std::size_t rows = 0;
  while (const auto batch = loader.next()) rows += batch->size();
  CHECK(rows == kRows);
  std::size_t kib = 0;
  for (const int pid : loader.worker_pids()) kib += kib_of(pid, "Private_Dirty:");
  CHECK(loader.worker_pids().size() == 16);
  CHECK(kib > 0);
  CHECK(kib < 16 * 4 * 1024);
}

}  // namespace
}  // namespace leat
