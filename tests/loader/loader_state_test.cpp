#include "leat/loader/loader_state.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/bucket_batch_sampler.h"
#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::check_rows;
using test::expect_error;
using test::indices_of;
using test::Workers;

// What a loop sees of a batch.
struct Seen {
  std::uint64_t epoch, number;
  std::vector<std::uint64_t> indices;
  std::vector<std::uint32_t> noise;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen seen(const HostBatch& batch) {
  const auto noise = batch["noise"].as<std::uint32_t>();
  return {batch.epoch(), batch.number(), indices_of(batch), {noise.begin(), noise.end()}};
}

// The batches of the next `epochs` epochs, the present one included.
std::vector<Seen> rest(DataLoader& loader, int epochs) {
  std::vector<Seen> all;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    while (const auto batch = loader.next()) all.push_back(seen(*batch));
  }
  return all;
}

LoaderState by_json(const LoaderState& state) {
  return LoaderState::from_json(state.to_json());
}

LEAT_LOADER_TEST(resumes, "66, 67, 72: a state after any batch resumes exactly, with any number of workers") {
  const ArithmeticDataset dataset(45);
  const DataLoaderOptions options{.batch_size = 6, .shuffle = true, .seed = 9};
  DataLoader uninterrupted(dataset, options);
  const std::vector<Seen> expected = rest(uninterrupted, 2);
  REQUIRE(expected.size() == 16);
  for (std::size_t taken = 0; taken <= 8; ++taken) {
    INFO("after " << taken << " batches");
    LoaderState state;
    {
      DataLoader first(dataset, workers.with(options));
      for (std::size_t batch = 0; batch < taken; ++batch) REQUIRE(first.next());
      state = by_json(first.state());
      first.next();  // [70] does not alter the state that was taken
    }
    CHECK(state.batches == taken);
    CHECK(state.samples == std::min<std::size_t>(6 * taken, 45));
    DataLoader second(dataset, options);
    second.restore(state);
    CHECK(second.state() == state);
    CHECK(rest(second, 2) ==
          std::vector<Seen>(expected.begin() + static_cast<std::ptrdiff_t>(taken), expected.end()));
    DataLoader third(dataset, workers.with(options));
    third.restore(state);
    CHECK(rest(third, 2) ==
          std::vector<Seen>(expected.begin() + static_cast<std::ptrdiff_t>(taken), expected.end()));
  }
}

LEAT_LOADER_TEST(between_epochs, "69: in the last batch nothing remains, between epochs a full one") {
  const ArithmeticDataset dataset(10);
  const DataLoaderOptions options{.batch_size = 5, .shuffle = true};
  DataLoader loader(dataset, workers.with(options));
  CHECK(loader.state() ==
        LoaderState{.order = "random: 10 samples, seed 0", .dataset_size = 10, .batch_size = 5});
  loader.next();
  loader.next();
  const LoaderState in_last = loader.state();
  CHECK_FALSE(loader.next());
  const LoaderState between = loader.state();
  CHECK(between.epoch == 1);
  CHECK(between.batches == 0);
  DataLoader other(dataset, workers.with(options));
  other.restore(in_last);
  CHECK_FALSE(other.next());
  CHECK(other.next()->epoch() == 1);
  other.restore(between);
  const auto batch = other.next();
  CHECK(batch->epoch() == 1);
  CHECK(batch->number() == 0);
  other.start_epoch(7);
  CHECK(other.state().epoch == 7);
}

LEAT_LOADER_TEST(after_error, "a batch whose error was thrown is done with") {
  const test::HookedDataset dataset(12, [](std::size_t index) {
    if (index == 4) throw std::runtime_error("four");
  });
  const DataLoaderOptions options{.batch_size = 3};
  DataLoader loader(dataset, workers.with(options));
  loader.next();
  expect_error<SampleError>([&] { loader.next(); });
  DataLoader other(dataset, workers.with(options));
  other.restore(loader.state());
  CHECK(other.next()->number() == 2);
}

TEST_CASE("71: out of order, resuming neither loses nor repeats", "[process]") {
  // Sample 0 waits, so that batches overtake the first one.
  const SharedMemory memory("a gate", sizeof(std::atomic<bool>));
  auto& open = *reinterpret_cast<std::atomic<bool>*>(memory.bytes().data());
  const test::HookedDataset dataset(60, [&](std::size_t index) {
    while (index == 0 && !open.load()) std::this_thread::yield();
  });
  const DataLoaderOptions options{.batch_size = 4, .num_workers = 2, .in_order = false};
  DataLoader loader(dataset, options);
  std::multiset<std::uint64_t> indices;
  for (int batch = 0; batch < 3; ++batch) {
    for (const std::uint64_t index : loader.next()->indices()) indices.insert(index);
  }
  const LoaderState state = by_json(loader.state());
  CHECK(state.batches == 0);
  CHECK(state.ahead.size() == 3);
  open.store(true);
  DataLoader other(dataset, options);
  other.restore(state);
  CHECK(other.state() == state);
  while (const auto batch = other.next()) {
    for (const std::uint64_t index : batch->indices()) indices.insert(index);
  }
  std::multiset<std::uint64_t> expected;
  for (std::uint64_t index = 0; index < 60; ++index) expected.insert(index);
  CHECK(indices == expected);
}

TEST_CASE("on several ranks, a state taken out of order belongs to its rank and division") {
  const ArithmeticDataset dataset(60);
  const auto options = [&](int rank, int world_size, std::size_t batch_size) {
    return DataLoaderOptions{
        .batch_size = batch_size,
        .sampler = std::make_shared<DistributedSampler>(
            60, DistributedSamplerOptions{.rank = rank, .world_size = world_size, .shuffle = false})};
  };
  LoaderState state = DataLoader(dataset, options(1, 2, 4)).state();
  state.ahead = {{3, 4}};
  const auto refused = [&](int rank, int world_size, std::size_t batch_size) {
    DataLoader loader(dataset, options(rank, world_size, batch_size));
    expect_error<ArgumentError>([&] { loader.restore(state); }, {"out of order on rank 1 of 2"});
  };
  refused(0, 2, 4);
  refused(1, 3, 4);
  refused(1, 2, 5);
  DataLoader same(dataset, options(1, 2, 4));
  same.restore(state);
  std::vector<std::uint64_t> numbers;
  while (const auto batch = same.next()) numbers.push_back(batch->number());
  CHECK(numbers == std::vector<std::uint64_t>{0, 1, 2, 4, 5, 6, 7});
}

TEST_CASE("68: after a restart with another world size every remaining sample comes once") {
  std::mt19937_64 random(68);
  for (int round = 0; round < 60; ++round) {
    const std::size_t samples = 1 + random() % 200, batch_size = 1 + random() % 9;
    const int before = 1 + static_cast<int>(random() % 4), after = 1 + static_cast<int>(random() % 4);
    const std::size_t steps = random() % 8;
    INFO(samples << " samples, batch size " << batch_size << ", " << steps << " steps on " << before
                 << " ranks, then " << after);
    const ArithmeticDataset dataset(samples);
    const auto options = [&](int rank, int world) {
      return DataLoaderOptions{
          .batch_size = batch_size,
          .sampler = std::make_shared<DistributedSampler>(
              samples, DistributedSamplerOptions{
                           .rank = rank, .world_size = world, .remainder = RemainderPolicy::keep})};
    };
    std::multiset<std::uint64_t> seen_indices;
    LoaderState state;
    for (int rank = 0; rank < before; ++rank) {
      DataLoader loader(dataset, options(rank, before));
      for (std::size_t step = 0; step < steps; ++step) {
        const auto batch = loader.next();
        if (!batch) break;
        seen_indices.insert(batch->indices().begin(), batch->indices().end());
        if (rank == 0) state = by_json(loader.state());
      }
      if (rank == 0 && steps == 0) state = loader.state();
    }
    for (int rank = 0; rank < after; ++rank) {
      DataLoader loader(dataset, options(rank, after));
      loader.restore(state);
      while (const auto batch = loader.next())
        seen_indices.insert(batch->indices().begin(), batch->indices().end());
    }
    CHECK(seen_indices.size() == samples);
    CHECK(std::set<std::uint64_t>(seen_indices.begin(), seen_indices.end()).size() == samples);
  }
}

TEST_CASE("another batch size delivers the same samples in the same order") {
  const ArithmeticDataset dataset(50);
  DataLoader loader(dataset, {.batch_size = 7, .shuffle = true});
  std::vector<std::uint64_t> order;
  for (int batch = 0; batch < 3; ++batch) {
    const auto part = indices_of(*loader.next());
    order.insert(order.end(), part.begin(), part.end());
  }
  DataLoader other(dataset, {.batch_size = 4, .shuffle = true});
  other.restore(loader.state());
  while (const auto batch = other.next()) {
    const auto part = indices_of(*batch);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::vector<std::uint64_t> expected(50);
  RandomSampler(50, 0).indices(0, 0, expected);
  CHECK(order == expected);
}

TEST_CASE("21: a batch sampler makes up the batches, and resumes by their number") {
  const ArithmeticDataset dataset(30);
  const auto batches = std::make_shared<BucketBatchSampler>(
      [] {
        std::vector<std::size_t> lengths(30);
        for (std::size_t i = 0; i < 30; ++i) lengths[i] = 1 + i % 10;
        return lengths;
      }(),
      BucketBatchSamplerOptions{.boundaries = {4, 8}, .batch_sizes = {6, 4, 2}, .seed = 5});
  const DataLoaderOptions options{
      .batch_sampler = batches, .num_workers = 2, .worker_kind = WorkerKind::threads};
  DataLoader loader(dataset, options);
  std::vector<std::vector<std::uint64_t>> all;
  LoaderState state;
  while (const auto batch = loader.next()) {
    check_rows(*batch, 0);
    all.push_back(indices_of(*batch));
    if (batch->number() == 2) state = loader.state();
  }
  REQUIRE(all.size() == batches->size(0));
  std::vector<std::uint64_t> expected;
  for (std::size_t number = 0; number < all.size(); ++number) {
    batches->batch(0, number, expected);
    CHECK(all[number] == expected);
  }
  DataLoader other(dataset, options);
  other.restore(state);
  for (std::size_t number = 3; number < all.size(); ++number) CHECK(indices_of(*other.next()) == all[number]);
  CHECK_FALSE(other.next());
}

TEST_CASE("a batch sampler's remaining batches can be divided by other ranks, each batch once") {
  std::vector<std::uint64_t> lengths(200);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = 1 + i * 37 % 50;
  const ArithmeticDataset dataset(lengths.size());
  const auto options = [&](int rank, int world_size) {
    return DataLoaderOptions{.batch_sampler = std::make_shared<BucketBatchSampler>(
                                 lengths, BucketBatchSamplerOptions{.boundaries = {10, 20, 30},
                                                                    .batch_sizes = {4},
                                                                    .seed = 2,
                                                                    .rank = rank,
                                                                    .world_size = world_size,
                                                                    .remainder = RemainderPolicy::keep})};
  };
  for (const auto& [before, after] : std::vector<std::pair<int, int>>{{1, 2}, {2, 1}, {2, 3}, {3, 3}}) {
    INFO(before << " ranks, then " << after);
    std::multiset<std::uint64_t> indices;
    LoaderState state;
    for (int rank = 0; rank < before; ++rank) {
      DataLoader loader(dataset, options(rank, before));
      for (int step = 0; step < 6; ++step) {
        const auto batch = loader.next();
        indices.insert(batch->indices().begin(), batch->indices().end());
      }
      state = by_json(loader.state());
    }
    for (int rank = 0; rank < after; ++rank) {
      DataLoader loader(dataset, options(rank, after));
      loader.restore(state);
      while (const auto batch = loader.next())
        indices.insert(batch->indices().begin(), batch->indices().end());
    }
    CHECK(indices.size() == lengths.size());
    CHECK(std::set<std::uint64_t>(indices.begin(), indices.end()).size() == lengths.size());
  }
}

TEST_CASE("size() after a restore counts the batches delivered before and those that remain") {
  const ArithmeticDataset dataset(100);
  DataLoader first(dataset, {.batch_size = 10});
  for (int batch = 0; batch < 3; ++batch) first.next();
  DataLoader second(dataset, {.batch_size = 7});
  second.restore(first.state());
  CHECK(second.size() == 3 + 10);
  std::uint64_t last = 0;
  for (int batch = 0; batch < 10; ++batch) last = second.next()->number();
  CHECK(last == 12);
  CHECK_FALSE(second.next());
  CHECK(second.size() == 15);
}

TEST_CASE("7: a state says the order of its own epoch, of a dataset that grows") {
  class Growing final : public ArithmeticDataset {
   public:
    Growing() : ArithmeticDataset(0) {}
    std::size_t size() const override { return samples; }
    std::size_t samples = 12;
  };
  Growing dataset;
  const DataLoaderOptions options{.batch_size = 4, .shuffle = true};
  DataLoader loader(dataset, options);
  CHECK(loader.state().dataset_size == 12);
  dataset.samples = 20;
  loader.start_epoch(1);
  REQUIRE(loader.next());
  const LoaderState state = loader.state();
  DataLoader second(dataset, options);
  second.restore(state);
  CHECK(rest(second, 1) == rest(loader, 1));
}

TEST_CASE("bad samples before a restore count in the share that may be bad") {
  // A tenth is bad. With the 160 samples before the restore in the share, all 4 of the last 40 are allowed.
  const test::HookedDataset dataset(200, [](std::size_t index) {
    if (index >= 160 && index % 10 == 0) throw std::runtime_error("bad");
  });
  const DataLoaderOptions options{.batch_size = 20,
                                  .on_bad_sample = SampleErrorPolicy::skip,
                                  .bad_sample_limit = {.allowance = 0, .rate = 0.021}};
  DataLoader first(dataset, options);
  for (int batch = 0; batch < 8; ++batch) first.next();
  DataLoader second(dataset, options);
  second.restore(first.state());
  CHECK(rest(second, 1).size() == 2);
  CHECK(second.bad_sample_count() == 4);
}

}  // namespace
}  // namespace leat
