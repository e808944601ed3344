// A cache of samples below a loader, with every kind of worker.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/cache.h"
#include "leat/datasets/map.h"
#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/loader/support/ragged_dataset.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::delivered_bytes;
using test::delivered_ragged_bytes;
using test::RaggedDataset;

constexpr std::size_t kEnough = 1 << 20;

// Rows of HookedDataset: 5 i32, an i64 and 2 u32 are 36 bytes.
constexpr std::size_t kRoom = 64;

LEAT_LOADER_TEST(hits, "a cache is filled in the first epoch, and asked in those after it") {
  const test::ArithmeticDataset dataset(200);
  const Cache cache(dataset, kEnough);
  const DataLoaderOptions options{.batch_size = 16, .shuffle = true, .seed = 3};
  const Cache full(dataset, 1);
  DataLoader reference(full, options);
  DataLoader loader(cache, workers.with(options));
  for (const std::uint64_t epoch : {0, 1, 2}) {
    CHECK(delivered_bytes(loader, epoch) == delivered_bytes(reference, epoch));
    CHECK(cache.stats().hits == 200 * epoch);
    CHECK(cache.stats().misses == 200);
  }
  CHECK(cache.stats().stored == 200);
  CHECK(cache.stats().bytes == 200 * kRoom);
}

LEAT_LOADER_TEST(too_small, "a cache that is too small changes no byte") {
  const test::ArithmeticDataset dataset(200);
  const Cache cache(dataset, 70 * kRoom), full(dataset, 1);
  const DataLoaderOptions options{.batch_size = 7, .shuffle = true, .seed = 4};
  DataLoader reference(full, options);
  DataLoader loader(cache, workers.with(options));
  for (const std::uint64_t epoch : {0, 1}) {
    CHECK(delivered_bytes(loader, epoch) == delivered_bytes(reference, epoch));
  }
  CHECK(cache.stats().stored == 70);
  CHECK(cache.stats().hits == 70);
  CHECK(cache.stats().misses == 330);
}

LEAT_LOADER_TEST(ragged, "a cache keeps ragged samples of random lengths") {
  const RaggedDataset dataset(150);
  const Cache cache(dataset, kEnough), full(dataset, 1);
  const DataLoaderOptions options{.batch_size = 16, .shuffle = true, .seed = 5};
  DataLoader reference(full, options);
  DataLoader loader(cache, workers.with(options));
  for (const std::uint64_t epoch : {0, 1}) {
    CHECK(delivered_ragged_bytes(loader, epoch) == delivered_ragged_bytes(reference, epoch));
  }
  for (const HostBatch& batch : loader.epoch(2)) test::check_ragged_rows(batch, dataset);
  CHECK(cache.stats().misses == 150);
  CHECK(cache.stats().hits == 300);
}

LEAT_LOADER_TEST(augmented, "behind a cache, augmentation is that of the epoch, whoever does it") {
  const test::ArithmeticDataset dataset(100);
  const Cache cache(dataset, kEnough);
  const MapInPlace augmented(cache, [](SampleWriter& sample, Rng& rng) {
    for (std::uint32_t& noise : sample.values<std::uint32_t>("noise")) noise = rng();
  });
  DataLoader loader(augmented, workers.with({.batch_size = 8, .seed = 6}));
  for (const std::uint64_t epoch : {0, 1}) {
    for (const HostBatch& batch : loader.epoch(epoch)) test::check_rows(batch, 6);
  }
  CHECK(cache.stats().misses == 100);
}

// Every third sample ends the first worker that wants it, by SIGKILL, before anything is stored.
TEST_CASE("workers that die below a cache leave it right", "[process]") {
  constexpr std::size_t kSamples = 60;
  const SharedMemory memory("flags of a test", kSamples * sizeof(SharedAtomic<std::uint32_t>));
  auto* const died = new (memory.bytes().data()) SharedAtomic<std::uint32_t>[kSamples];
  const test::HookedDataset dataset(kSamples, [&](std::size_t index) {
    if (index % 3 == 0 && died[index].exchange(1) == 0) ::kill(::getpid(), SIGKILL);
  });
  const test::ArithmeticDataset unhurt(kSamples);
  const Cache cache(dataset, kEnough), full(unhurt, 1);
  DataLoaderOptions options{.batch_size = 8, .shuffle = true, .seed = 7};
  DataLoader reference(full, options);
  options.num_workers = 2;
  options.on_warning = [](const std::string&) {};
  DataLoader loader(cache, options);
  for (const std::uint64_t epoch : {0, 1, 2}) {
    CHECK(delivered_bytes(loader, epoch) == delivered_bytes(reference, epoch));
  }
  for (std::size_t i = 0; i < kSamples; i += 3) CHECK(died[i].load() == 1);
  CHECK(cache.stats().stored == kSamples);
  CHECK(cache.stats().bytes == kSamples * kRoom);
  CHECK(cache.stats().hits == 2 * kSamples);
  CHECK(cache.stats().misses == kSamples + kSamples / 3);
}

// The workers are killed from outside, in the middle of anything.
TEST_CASE("workers that are killed while a cache fills leave it right", "[process]") {
  constexpr std::size_t kSamples = 400;
  const test::ArithmeticDataset dataset(kSamples);
  const Cache cache(dataset, kEnough), full(dataset, 1);
  DataLoaderOptions options{.batch_size = 4, .seed = 8};
  DataLoader reference(full, options);
  const std::vector<std::byte> wanted = delivered_bytes(reference, 0);
  options.num_workers = 3;
  options.on_warning = [](const std::string&) {};
  DataLoader loader(cache, options);
  std::size_t deaths = 0, rows = 0;
  for (const HostBatch& batch : loader.epoch(0)) {
    rows += batch.size();
    if (batch.number() % 10 != 0) continue;
    for (const int pid : loader.worker_pids()) deaths += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
  }
  CHECK(rows == kSamples);
  CHECK(deaths > 0);
  CHECK(cache.stats().stored == kSamples);
  CHECK(cache.stats().bytes >= kSamples * kRoom);
  CHECK(cache.stats().bytes <= (kSamples + deaths) * kRoom);
  const std::uint64_t hits = cache.stats().hits, misses = cache.stats().misses;
  CHECK(delivered_bytes(loader, 1) == wanted);
  CHECK(cache.stats().hits == hits + kSamples);
  CHECK(cache.stats().misses == misses);
}

}  // namespace
}  // namespace leat
