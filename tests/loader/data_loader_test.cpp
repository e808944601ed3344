// The numbers before the colons are lines of the conformance list in docs/conformance.md.
#include "leat/loader/data_loader.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "leat/datasets/base/shared_memory.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::check_rows;
using test::expect_error;
using test::HookedDataset;
using test::indices_of;

LEAT_LOADER_TEST(in_order, "1, 4: batch i holds its samples in order, and all its bytes") {
  const ArithmeticDataset dataset(100);
  DataLoader loader(dataset, workers.with({.batch_size = 3, .seed = 5}));
  CHECK(loader.size() == 34);
  std::uint64_t next = 0;
  std::uint64_t batches = 0;
  for (const HostBatch& batch : loader.epoch(0)) {
    CHECK(batch.number() == batches++);
    CHECK(batch.size() == (batches == 34 ? 1 : 3));
    for (const std::uint64_t index : batch.indices()) CHECK(index == next++);
    check_rows(batch, 5);
  }
  CHECK(next == 100);
  CHECK(batches == 34);
}

LEAT_LOADER_TEST(drop_last, "5: 600 samples in batches of 7 are 85 without the short last one") {
  const ArithmeticDataset dataset(600);
  DataLoader loader(dataset, workers.with({.batch_size = 7, .drop_last = true}));
  std::size_t batches = 0;
  for (const HostBatch& batch : loader.epoch(0)) {
    CHECK(batch.size() == 7);
    ++batches;
  }
  CHECK(batches == 85);
}

LEAT_LOADER_TEST(shuffled, "3, 18: a shuffled epoch has every sample once, and epochs differ") {
  const ArithmeticDataset dataset(101);
  DataLoader loader(dataset, workers.with({.batch_size = 8, .shuffle = true, .seed = 3}));
  std::vector<std::vector<std::uint64_t>> orders;
  for (const std::uint64_t epoch : {0, 1, 0}) {
    std::vector<std::uint64_t> order;
    for (const HostBatch& batch : loader.epoch(epoch)) {
      check_rows(batch, 3);
      order.insert(order.end(), batch.indices().begin(), batch.indices().end());
    }
    orders.push_back(order);
  }
  CHECK(orders[0] != orders[1]);
  CHECK(orders[0] == orders[2]);
  std::sort(orders[1].begin(), orders[1].end());
  std::vector<std::uint64_t> everything(101);
  std::iota(everything.begin(), everything.end(), 0);
  CHECK(orders[1] == everything);
}

LEAT_LOADER_TEST(same_bytes, "13, 64: the same bytes as inline, random fields included") {
  const ArithmeticDataset dataset(257);
  DataLoaderOptions options{.batch_size = 32, .shuffle = true, .seed = 77};
  DataLoader reference(dataset, options);
  DataLoader loader(dataset, workers.with(options));
  for (const std::uint64_t epoch : {0, 3}) {
    CHECK(test::delivered_bytes(loader, epoch) == test::delivered_bytes(reference, epoch));
  }
}

LEAT_LOADER_TEST(no_samples, "11: no samples, and fewer samples than workers") {
  const ArithmeticDataset none(0);
  DataLoader empty(none, workers.with({.batch_size = 4}));
  CHECK(empty.size() == 0);
  CHECK_FALSE(empty.next());
  CHECK_FALSE(empty.next());
  const ArithmeticDataset few(2);
  DataLoader loader(few, workers.with({.batch_size = 4}));
  CHECK(indices_of(*loader.next()) == std::vector<std::uint64_t>{0, 1});
  CHECK_FALSE(loader.next());
}

LEAT_LOADER_TEST(epochs_follow, "next() ends an epoch once, then begins the one after it") {
  const ArithmeticDataset dataset(4);
  DataLoader loader(dataset, workers.with({.batch_size = 2}));
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    CHECK(loader.next()->epoch() == epoch);
    CHECK(loader.next()->number() == 1);
    CHECK_FALSE(loader.next());
  }
}

LEAT_LOADER_TEST(left_early, "12: a loop left early is followed by a full fresh epoch") {
  const ArithmeticDataset dataset(200);
  DataLoader loader(dataset, workers.with({.batch_size = 4}));
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    for (const HostBatch& batch : loader.epoch(epoch)) {
      check_rows(batch, 0);
      if (batch.number() == epoch) break;
    }
  }
  std::uint64_t next = 0;
  for (const HostBatch& batch : loader.epoch(99)) {
    check_rows(batch, 0);
    for (const std::uint64_t index : batch.indices()) CHECK(index == next++);
  }
  CHECK(next == 200);
}

LEAT_LOADER_TEST(two_loaders, "8: two interleaved loaders do not disturb each other") {
  const ArithmeticDataset one(30), other(40);
  DataLoader first(one, workers.with({.batch_size = 3, .seed = 1}));
  DataLoader second(other, workers.with({.batch_size = 4, .shuffle = true, .seed = 2}));
  for (int step = 0; step < 10; ++step) {
    check_rows(*first.next(), 1);
    check_rows(*second.next(), 2);
  }
  CHECK_FALSE(first.next());
  CHECK_FALSE(second.next());
}

LEAT_LOADER_TEST(held_batches, "57: a batch that is held keeps its bytes, whatever is loaded after it") {
  const ArithmeticDataset dataset(400);
  DataLoader loader(dataset, workers.with({.batch_size = 4, .max_held_batches = 3}));
  std::vector<HostBatch> held;
  while (auto batch = loader.next()) {
    if (held.size() == 2) held.erase(held.begin());
    held.push_back(std::move(*batch));
    for (const HostBatch& any : held) check_rows(any, 0);
  }
}

LEAT_LOADER_TEST(all_held, "58: when every slot is held, next() says so, and goes on when one is released") {
  const ArithmeticDataset dataset(400);
  DataLoader loader(dataset, workers.with({.batch_size = 4, .max_held_batches = 2}));
  std::vector<HostBatch> held;
  for (std::size_t slot = 0; slot < loader.slots().count; ++slot) held.push_back(*loader.next());
  expect_error<SlotsHeldError>([&] { loader.next(); }, {"held", "max_held_batches"});
  held.pop_back();
  CHECK(loader.next()->number() == held.size() + 1);
}

LEAT_LOADER_TEST(outlives, "a batch may outlive its loader") {
  const ArithmeticDataset dataset(40);
  std::optional<HostBatch> batch;
  {
    DataLoader loader(dataset, workers.with({.batch_size = 4}));
    batch = loader.next();
  }
  check_rows(*batch, 0);
}

LEAT_LOADER_TEST(init_function,
                 "30, 31: worker_init_fn runs before any sample, and its exception reaches the caller") {
  if (workers.number == 0) return;
  static thread_local bool initialized = false;
  const HookedDataset dataset(20, [](std::size_t) {
    if (!initialized) throw std::runtime_error("not initialized");
  });
  auto options = workers.with({.batch_size = 2});
  options.worker_init_fn = [](int) { initialized = true; };
  DataLoader loader(dataset, options);
  while (const auto batch = loader.next()) check_rows(*batch, 0);

  options.worker_init_fn = [](int) { throw std::runtime_error("no license"); };
  DataLoader failing(dataset, options);
  expect_error<WorkerInitError>(
      [&] {
        while (failing.next()) {
        }
      },
      {"worker_init_fn", "no license"});
  expect_error<WorkerInitError>([&] { failing.next(); });
}

LEAT_LOADER_TEST(overtaking, "9, 10: a slow sample is overtaken out of order, and waited for in order") {
  if (workers.number < 2) return;
  for (const bool in_order : {false, true}) {
    const SharedMemory memory("a gate", sizeof(std::atomic<bool>));
    auto& open = *reinterpret_cast<std::atomic<bool>*>(memory.bytes().data());
    const HookedDataset dataset(24, [&](std::size_t index) {
      while (index == 0 && !open.load()) std::this_thread::yield();
    });
    auto options = workers.with({.batch_size = 4, .timeout = std::chrono::milliseconds(300)});
    options.in_order = in_order;
    DataLoader loader(dataset, options);
    std::vector<std::uint64_t> numbers;
    if (in_order) {
      expect_error<TimeoutError>([&] { loader.next(); });
    } else {
      numbers.push_back(loader.next()->number());
    }
    open.store(true);
    while (const auto batch = loader.next()) {
      check_rows(*batch, 0);
      numbers.push_back(batch->number());
    }
    CHECK(numbers.size() == 6);
    CHECK(std::set<std::uint64_t>(numbers.begin(), numbers.end()).size() == 6);
    CHECK(std::is_sorted(numbers.begin(), numbers.end()) == in_order);
  }
}

// Sample 0 takes until all others are loaded: they are, in many more batches than are in flight at other times.
LEAT_LOADER_TEST(runs_ahead, "a slow sample does not stop the others, and order and bytes are as ever") {
  if (workers.number < 2) return;
  constexpr std::size_t kSamples = 30;
  const SharedMemory memory("a count", sizeof(std::atomic<std::size_t>));
  auto& others = *reinterpret_cast<std::atomic<std::size_t>*>(memory.bytes().data());
  const HookedDataset dataset(kSamples, [&](std::size_t index) {
    if (index != 0) ++others;
    while (index == 0 && others.load() < kSamples - 1) std::this_thread::yield();
  });
  auto options = workers.with({.prefetch_factor = 1, .timeout = std::chrono::minutes(2)});
  DataLoader loader(dataset, options);
  for (int epoch = 0; epoch < 2; ++epoch) {
    others.store(0);
    std::uint64_t next = 0;
    while (const auto batch = loader.next()) {
      check_rows(*batch, 0);
      CHECK(batch->indices()[0] == next++);
    }
    CHECK(next == kSamples);
    CHECK(loader.stats().slots > loader.slots().count);
  }
}

LEAT_LOADER_TEST(knows_itself, "29: worker info is there in workers, and nowhere else") {
  class InfoDataset final : public Dataset {
   public:
    std::size_t size() const override { return 30; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override {
      const auto info = worker_info();
      out.set(0, std::int32_t{info ? info->id : -1});
      out.set(1, std::int32_t{info ? info->num_workers : -1});
    }

   private:
    Schema schema_{{{"id", DType::i32, {}}, {"workers", DType::i32, {}}}};
  };
  const InfoDataset dataset;
  DataLoader loader(dataset, workers.with({.batch_size = 3}));
  while (const auto batch = loader.next()) {
    for (const std::int32_t id : (*batch)["id"].as<std::int32_t>()) CHECK((id >= 0) == (workers.number > 0));
    for (const std::int32_t number : (*batch)["workers"].as<std::int32_t>())
      CHECK(number == (workers.number > 0 ? workers.number : -1));
  }
  CHECK_FALSE(worker_info());
}

LEAT_LOADER_TEST(auto_workers, "the loader finds its number of workers, and delivers the same") {
  if (workers.number != 2) return;
  const ArithmeticDataset dataset(500);
  auto options = workers.with({.batch_size = 4, .shuffle = true});
  options.num_workers = kAutoWorkers;
  DataLoader loader(dataset, options);
  DataLoader inline_loader(dataset, {.batch_size = 4, .shuffle = true});
  CHECK(test::delivered_bytes(loader, 0) == test::delivered_bytes(inline_loader, 0));
  CHECK(loader.stats().active_workers >= 1);
  CHECK(loader.stats().active_workers <= static_cast<int>(loader.stats().workers.size()));
}

TEST_CASE("22: contradictory options are refused by name") {
  const ArithmeticDataset dataset(10);
  const auto refused = [&](DataLoaderOptions options, std::initializer_list<std::string_view> fragments) {
    expect_error<ArgumentError>([&] { DataLoader(dataset, options); }, fragments);
  };
  refused({.batch_size = 0}, {"batch_size"});
  refused({.num_workers = -2}, {"num_workers", "-2"});
  refused({.batch_size = 2,
           .batch_sampler =
               std::make_shared<FixedSizeBatchSampler>(std::make_shared<SequentialSampler>(10), 2, false)},
          {"batch_sampler", "batch_size"});
  refused({.sample_timeout = std::chrono::seconds(1)}, {"sample_timeout", "processes"});
  refused({.bad_sample_limit = {.rate = 2}}, {"bad_sample_limit", "2"});
  refused({.shuffle = true, .sampler = std::make_shared<SequentialSampler>(10)}, {"sampler", "shuffle"});
  refused({.prefetch_factor = 2}, {"prefetch_factor", "num_workers"});
  refused({.num_workers = 1, .prefetch_factor = 0}, {"prefetch_factor"});
  refused({.timeout = std::chrono::seconds(-1)}, {"timeout"});
  refused({.worker_init_fn = [](int) {}}, {"worker_init_fn"});
  refused({.max_held_batches = 0}, {"max_held_batches"});
}

TEST_CASE("7: size() follows a dataset that grows") {
  class Growing final : public ArithmeticDataset {
   public:
    Growing() : ArithmeticDataset(0) {}
    std::size_t size() const override { return current; }
    std::size_t current = 3;
  };
  Growing dataset;
  DataLoader loader(dataset, {.batch_size = 2});
  CHECK(loader.size() == 2);
  dataset.current = 10;
  CHECK(loader.size() == 5);
  CHECK(test::delivered_bytes(loader, 0).size() == 10 * (20 + 8 + 8));
}

TEST_CASE("more slot memory than the machine has is an error with byte counts") {
  class Huge final : public ArithmeticDataset {
   public:
    Huge() : ArithmeticDataset(1), schema_({{"x", DType::u8, {std::size_t{1} << 45}}}) {}
    const Schema& schema() const override { return schema_; }

   private:
    Schema schema_;
  };
  const Huge dataset;
  expect_error<MemoryError>([&] { DataLoader(dataset, {.batch_size = 4}); }, {"batch slots", "bytes"});
}

TEST_CASE("a thousand short epochs, some left early") {
  const ArithmeticDataset dataset(7);
  DataLoader loader(dataset,
                    {.batch_size = 2, .shuffle = true, .num_workers = 2, .worker_kind = WorkerKind::threads});
  for (std::uint64_t epoch = 0; epoch < 1000; ++epoch) {
    for (const HostBatch& batch : loader.epoch(epoch)) {
      check_rows(batch, 0);
      if (epoch % 3 == 0 && batch.number() == epoch % 4) break;
    }
  }
}

}  // namespace
}  // namespace leat
