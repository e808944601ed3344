// Workers that are killed while they store a sample.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <vector>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/cache.h"
#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "tests/support/one_sample.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// "pages", u8: `pages` pages, byte k of sample i is i + k / 64 modulo 256. `done(row)` is called with the row of a
// sample that is written.
class PageDataset final : public Dataset {
 public:
  PageDataset(std::size_t samples, std::size_t pages)
      : samples_(samples), schema_({{"pages", DType::u8, {pages * page_size()}}}) {}

  std::size_t size() const override { return samples_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    const std::span<std::byte> row = out.bytes(0);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = byte_of(index, k);
    if (done != nullptr) done(row);
  }
  std::size_t row_bytes() const { return schema_.row_bytes(0); }
  static std::byte byte_of(std::size_t index, std::size_t k) {
    return static_cast<std::byte>(index + k / 64);
  }

  void (*done)(std::span<std::byte> row) = nullptr;

 private:
  std::size_t samples_;
  Schema schema_;
};

void die(int) {
  ::kill(::getpid(), SIGKILL);
}

// Reading the second half of the row kills the process from here on, with SIGKILL.
void make_deadly(std::span<std::byte> row) {
  std::signal(SIGSEGV, die);
  ::mprotect(row.data() + row.size() / 2, row.size() / 2, PROT_NONE);
}

// get() into memory whose pages are its own.
void get_alone(const Dataset& dataset, std::size_t index) {
  const std::size_t bytes = dataset.schema().row_bytes(0);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("mmap of a row");
  const std::array<std::byte*, 1> columns{static_cast<std::byte*>(memory)};
  SampleWriter out(dataset.schema(), columns, 0);
  Rng rng(1, 2, 3);
  dataset.get(index, rng, out);
  ::munmap(memory, bytes);
}

void check_all(const Cache& cache) {
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const std::vector<std::byte> bytes = OneSample(cache, i).bytes(0);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) wrong += bytes[k] == PageDataset::byte_of(i, k) ? 0 : 1;
    INFO("sample " << i);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("a worker that is killed half-way through a copy loses that room alone", "[process]") {
  constexpr std::size_t kSamples = 6, kDeaths = 3;
  PageDataset pages(kSamples, 16);
  const Cache cache(pages, 100 * pages.row_bytes());
  pages.done = make_deadly;
  for (std::size_t death = 0; death < kDeaths; ++death) {
    ChildProcess child = ChildProcess::run([&] {
      get_alone(cache, death % 2);
      return 0;
    });
    CHECK(describe_wait_status(child.wait()) == "was killed by signal 9 (Killed)");
    CHECK(cache.stats().stored == 0);
    CHECK(cache.stats().bytes == (death + 1) * pages.row_bytes());
  }
  pages.done = nullptr;
  check_all(cache);
  check_all(cache);
  const CacheStats stats = cache.stats();
  CHECK(stats.stored == kSamples);
  CHECK(stats.bytes == (kSamples + kDeaths) * pages.row_bytes());
  CHECK(stats.misses == kSamples + kDeaths);
  CHECK(stats.hits == kSamples);
}

TEST_CASE("room that dead workers lost is missing at the end of a cache, and nowhere else", "[process]") {
  PageDataset pages(6, 4);
  const Cache cache(pages, 6 * pages.row_bytes());
  pages.done = make_deadly;
  ChildProcess child = ChildProcess::run([&] {
    get_alone(cache, 3);
    return 0;
  });
  CHECK(describe_wait_status(child.wait()) == "was killed by signal 9 (Killed)");
  pages.done = nullptr;
  check_all(cache);
  check_all(cache);
  CHECK(cache.stats().stored == 5);
  CHECK(cache.stats().bytes == cache.stats().limit);
  CHECK(cache.stats().hits == 5);
}

// Where they are killed is anybody's guess: in get(), in the copy, before or behind it.
TEST_CASE("workers that are killed anywhere leave a cache whole", "[process]") {
  constexpr std::size_t kSamples = 240, kWorkers = 4;
  const PageDataset pages(kSamples, 16);
  const Cache cache(pages, (kSamples + kWorkers) * pages.row_bytes());
  std::vector<ChildProcess> workers;
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    workers.push_back(ChildProcess::run([&, worker] {
      for (std::size_t i = worker; i < kSamples; i += kWorkers) get_alone(cache, i);
      return 0;
    }));
  }
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    while (cache.stats().stored < 20 * (worker + 1) && !workers[worker].wait(std::chrono::milliseconds(0))) {
      ::sched_yield();
    }
    workers[worker].kill(SIGKILL);
    workers[worker].wait();
  }
  const CacheStats filled = cache.stats();
  CHECK(filled.stored >= 20);
  CHECK(filled.bytes >= filled.stored * pages.row_bytes());
  CHECK(filled.bytes <= (filled.stored + kWorkers) * pages.row_bytes());
  check_all(cache);
  const CacheStats stats = cache.stats();
  CHECK(stats.stored == kSamples);
  CHECK(stats.hits - filled.hits == filled.stored);
  CHECK(stats.bytes - filled.bytes == (kSamples - filled.stored) * pages.row_bytes());
}

}  // namespace leat::test
