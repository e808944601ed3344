// Chains of restores within one epoch: whatever changes between them, every sample comes exactly once.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "leat/loader/bucket_batch_sampler.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/subset_sampler.h"
#include "leat/loader/weighted_sampler.h"
#include "tests/loader/support/arithmetic_dataset.h"

namespace leat {
namespace {

using test::HookedDataset;
using Indices = std::vector<std::uint64_t>;

constexpr std::uint64_t kEpoch = 2;
constexpr std::size_t kMostRestores = 6;

// Every third sample of a dataset, from the last one down: a user's sampler that overrides nothing but what it must.
class EveryThirdBackwards final : public Sampler {
 public:
  explicit EveryThirdBackwards(std::size_t samples) : samples_(samples) {}
  std::size_t size() const override { return (samples_ + 2) / 3; }
  void indices(std::uint64_t, std::size_t first, std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 3 * (size() - 1 - first - i);
  }

 private:
  std::size_t samples_;
};

// Batches of 1, 2, 3, 1, 2, 3, ... samples: a user's batch sampler that overrides nothing but what it must.
class GrowingBatches final : public BatchSampler {
 public:
  explicit GrowingBatches(std::size_t samples) : samples_(samples) {}
  std::size_t size(std::uint64_t) const override {
    std::size_t batches = 0;
    while (first(batches) < samples_) ++batches;
    return batches;
  }
  std::size_t max_batch_size() const override { return 3; }
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override {
    require_number(epoch, number, size(epoch));
    out.resize(std::min(number % 3 + 1, samples_ - first(number)));
    std::iota(out.begin(), out.end(), first(number));
  }

 private:
  static std::size_t first(std::size_t number) {
    return number / 3 * 6 + (number % 3 == 0 ? 0 : number % 3 == 1 ? 1 : 3);
  }
  std::size_t samples_;
};

// How an order is made for one rank; equal for all ranks and worlds.
struct Order {
  std::string name;
  bool distributed;
  bool fixed_batches;
  std::function<void(DataLoaderOptions& options, int rank, int world_size)> choose;
};

Order random_order(std::mt19937_64& random, std::size_t samples) {
  const std::uint64_t seed = random() % 1000;
  const auto by_sampler = [](std::string name, std::shared_ptr<const Sampler> sampler) {
    return Order{std::move(name), false, false,
                 [sampler](DataLoaderOptions& options, int, int) { options.sampler = sampler; }};
  };
  switch (random() % 10) {
    case 0:
      return {"sequential", false, false, [](DataLoaderOptions&, int, int) {}};
    case 1:
      return {"shuffle", false, false, [](DataLoaderOptions& options, int, int) { options.shuffle = true; }};
    case 2: {
      Indices subset(samples);
      for (std::uint64_t& index : subset) index = random() % samples;
      return by_sampler("subset", std::make_shared<SubsetSampler>(
                                      subset, SubsetSamplerOptions{.shuffle = seed % 2 == 0, .seed = seed}));
    }
    case 3:
    case 4: {
      std::vector<double> weights(samples);
      for (double& weight : weights) weight = 1 + static_cast<double>(random() % 9);
      return by_sampler("weighted", std::make_shared<WeightedSampler>(
                                        weights, samples,
                                        WeightedSamplerOptions{.replacement = seed % 2 == 0, .seed = seed}));
    }
    case 5:
      return by_sampler("user-defined", std::make_shared<EveryThirdBackwards>(samples));
    case 6:
      return {"user-defined batches", false, true, [samples](DataLoaderOptions& options, int, int) {
                options.batch_sampler = std::make_shared<GrowingBatches>(samples);
              }};
    case 7: {
      Indices lengths(samples);
      for (std::uint64_t& length : lengths) length = 1 + random() % 40;
      const bool budget = random() % 2 == 0;
      return {"buckets", true, true, [=](DataLoaderOptions& options, int rank, int world_size) {
                BucketBatchSamplerOptions buckets{.boundaries = {10, 20}, .seed = seed};
                if (budget) buckets.token_budget = 100;
                if (!budget) buckets.batch_sizes = {4, 3, 2};
                buckets.rank = rank;
                buckets.world_size = world_size;
                buckets.remainder = RemainderPolicy::keep;
                options.batch_sampler = std::make_shared<BucketBatchSampler>(lengths, buckets);
              }};
    }
    default:
      return {"distributed", true, false, [=](DataLoaderOptions& options, int rank, int world_size) {
                options.sampler = std::make_shared<DistributedSampler>(
                    samples, DistributedSamplerOptions{.rank = rank,
                                                       .world_size = world_size,
                                                       .shuffle = seed % 4 != 0,
                                                       .seed = seed,
                                                       .remainder = RemainderPolicy::keep});
              }};
  }
}

// How one part of the epoch is loaded.
struct Part {
  int world_size = 1;
  std::size_t batch_size = 1;
  bool in_order = true;
  int num_workers = 0;
  WorkerKind kind = WorkerKind::threads;
};

Part random_part(std::mt19937_64& random, const Order& order, WorkerKind kind, const Part& before,
                 bool rank_bound) {
  Part part{.world_size = order.distributed ? 1 + static_cast<int>(random() % 5) : 1,
            .batch_size = order.fixed_batches ? 1 : 1 + random() % 9,
            .in_order = random() % 3 != 0,
            .num_workers = static_cast<int>(random() % 4),
            .kind = kind};
  // Out of order on several ranks, what was consumed can only be told by all of them together.
  if (rank_bound || random() % 4 == 0) {
    part.world_size = before.world_size;
    part.batch_size = before.batch_size;
  }
  return part;
}

class Chain {
 public:
  Chain(std::uint64_t seed, WorkerKind kind)
      : random_(seed),
        kind_(kind),
        samples_(1 + random_() % 120),
        order_(random_order(random_, samples_)),
        dataset_(samples_, [this](std::size_t index) {
          if (index % 11 == skipped_) throw std::runtime_error("skipped");
        }) {
    // Batches of which nothing is left are not delivered, so ranks that skip samples get out of step.
    skipped_ = !order_.distributed && random_() % 3 == 0 ? random_() % 11 : 11;
  }

  // Restores up to kMostRestores times, then delivers the rest; how many restores.
  std::size_t run() {
    const std::size_t restores = random_() % (kMostRestores + 1);
    Part part = random_part(random_, order_, kind_, {}, false);
    for (std::size_t i = 0; i <= restores; ++i) {
      if (i > 0) part = random_part(random_, order_, kind_, part, rank_bound_);
      INFO("part " << i << " of " << restores << ": world size " << part.world_size << ", batch size "
                   << part.batch_size << (part.in_order ? ", in order, " : ", out of order, ")
                   << part.num_workers << " workers; " << order_.name << ", " << samples_ << " samples");
      deliver(part, i == restores ? ~std::size_t{0} : random_() % 6);
      if (ended_) break;
    }
    check();
    return restores;
  }

 private:
  DataLoaderOptions options(const Part& part, int rank) const {
    DataLoaderOptions options{.num_workers = part.num_workers,
                              .worker_kind = part.kind,
                              .on_bad_sample = SampleErrorPolicy::skip,
                              .bad_sample_limit = {.allowance = 1000, .rate = 1},
                              .in_order = part.in_order,
                              .seed = 5,
                              .on_warning = [](const std::string&) {}};
    order_.choose(options, rank, part.world_size);
    if (!options.batch_sampler) options.batch_size = part.batch_size;
    return options;
  }

  void deliver(const Part& part, std::size_t steps) {
    std::vector<LoaderState> states;
    for (int rank = 0; rank < part.world_size; ++rank) {
      DataLoader loader(dataset_, options(part, rank));
      if (states_.empty()) {
        loader.start_epoch(kEpoch);
      } else {
        const auto of = rank_bound_ ? static_cast<std::size_t>(rank) : random_() % states_.size();
        const LoaderState& state = all_at_work_ || rank_bound_ ? states_[of] : states_[0];
        loader.restore(LoaderState::from_json(state.to_json()));
        REQUIRE(delivered_samples(loader.state()) == delivered_samples(state));
      }
      const std::size_t before = delivered_batches(loader);
      for (std::size_t step = 0; step < steps && before + step < loader.size(); ++step) {
        const auto batch = loader.next();
        ended_ = !batch;  // nothing was left of the batches that remained: all their samples were skipped
        if (ended_) break;
        delivered_.insert(delivered_.end(), batch->indices().begin(), batch->indices().end());
        if (part.world_size > 1 || !part.in_order) in_sequence_ = false;
      }
      states.push_back(loader.state());
    }
    states_ = std::move(states);
    all_at_work_ = std::all_of(states_.begin(), states_.end(), [&](const LoaderState& state) {
      return state.batches == states_[0].batches && state.samples == states_[0].samples;
    });
    rank_bound_ = part.world_size > 1 &&
                  std::any_of(states_.begin(), states_.end(), [](const auto& s) { return !s.ahead.empty(); });
  }

  static std::size_t delivered_batches(const DataLoader& loader) {
    const LoaderState state = loader.state();
    return state.batches + state.ahead.size();
  }

  static std::size_t delivered_samples(const LoaderState& state) {
    std::size_t samples = state.samples;
    for (const auto& [number, rows] : state.ahead) samples += rows;
    return samples;
  }

  // Against the epoch of a loader that was never interrupted.
  void check() {
    DataLoader whole(dataset_, options(Part{.batch_size = 7}, 0));
    whole.start_epoch(kEpoch);
    Indices expected;
    while (const auto batch = whole.next())
      expected.insert(expected.end(), batch->indices().begin(), batch->indices().end());
    if (!in_sequence_) {
      std::sort(delivered_.begin(), delivered_.end());
      std::sort(expected.begin(), expected.end());
    }
    REQUIRE(delivered_ == expected);
  }

  std::mt19937_64 random_;
  const WorkerKind kind_;
  const std::size_t samples_;
  const Order order_;
  std::size_t skipped_ = 11;  // of every eleven samples
  const HookedDataset dataset_;

  std::vector<LoaderState> states_;  // by rank
  bool all_at_work_ = true;          // the ranks have delivered equally many batches and samples
  bool rank_bound_ = false;          // only its own rank can go on from a state
  bool in_sequence_ = true;
  bool ended_ = false;  // the epoch, before it was known to
  Indices delivered_;
};

std::size_t run_chains(std::uint64_t first_seed, std::uint64_t chains, WorkerKind kind) {
  std::size_t restores = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + chains; ++seed) {
    INFO("chain " << seed);
    restores += Chain(seed, kind).run();
  }
  return restores;
}

TEST_CASE("whatever is restored how often within an epoch, every sample comes exactly once") {
  CHECK(run_chains(1, 400, WorkerKind::threads) > 800);
}

TEST_CASE("whatever is restored how often into worker processes, every sample comes exactly once",
          "[process]") {
  CHECK(run_chains(100'000, 60, WorkerKind::processes) > 100);
}

TEST_CASE("thousands of chains of restores deliver every sample exactly once", "[slow]") {
  CHECK(run_chains(200'000, 4000, WorkerKind::threads) > 8000);
  CHECK(run_chains(300'000, 400, WorkerKind::processes) > 800);
}

}  // namespace
}  // namespace leat
