#include "leat/loader/weighted_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "leat/loader/samplers/alias_table.h"
#include "leat/loader/samplers/derived_seed.h"
#include "leat/loader/samplers/epoch_cache.h"
#include "leat/loader/samplers/fingerprint.h"

namespace leat {

using namespace detail;

namespace {

void require_weights(const std::vector<double>& weights, std::size_t num_samples, bool replacement) {
  std::size_t positive = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      throw ArgumentError(
          fmt::format("the weight of sample {} is {}; weights are finite and not negative", i, weights[i]));
    }
    if (weights[i] > 0) ++positive;
  }
  if (positive == 0) {
    throw ArgumentError(fmt::format("none of the {} weights is above 0", weights.size()));
  }
  if (!replacement && num_samples > positive) {
    throw ArgumentError(
        fmt::format("{} samples without replacement, but only {} of the {} weights are above 0", num_samples,
                    positive, weights.size()));
  }
}

using Arrival = std::pair<double, std::uint64_t>;  // logarithm of the time, and sample

// Returns the arrival time of a sample, if samples arrive randomly at rates equal to their weights: -log(u) / weight.
// The result holds the logarithm of that time, which has the same order, and neither overflows nor vanishes for any
// weight.
Arrival arrival(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index, double weight) {
  const double below_one = Rng(seed, epoch, index).uniform();  // u is 1 minus this, which log1p() takes
  return {std::log(-std::log1p(-below_one)) - std::log(weight), index};
}

}  // namespace

class WeightedSampler::Draws {
 public:
  virtual ~Draws() = default;
  virtual void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const = 0;
};

class WeightedSampler::DrawsWithReplacement final : public Draws {
 public:
  DrawsWithReplacement(std::span<const double> weights, std::uint64_t seed) : seed_(seed), table_(weights) {}
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      Rng rng(seed_, epoch, first + i);
      const std::uint64_t column = rng.below(table_.size());
      out[i] = table_.at(column, rng.uniform());
    }
  }

 private:
  std::uint64_t seed_;
  AliasTable table_;
};

class WeightedSampler::DrawsWithoutReplacement final : public Draws {
 public:
  DrawsWithoutReplacement(std::vector<double> weights, std::size_t num_samples, std::uint64_t seed)
      : weights_(std::move(weights)), num_samples_(num_samples), seed_(seed) {}
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override {
    const auto order = orders_.get(epoch, [&] { return draw(epoch); });
    std::copy_n(order->begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  }

 private:
  std::vector<std::uint64_t> draw(std::uint64_t epoch) const;

  std::vector<double> weights_;
  std::size_t num_samples_;
  std::uint64_t seed_;
  EpochCache<std::vector<std::uint64_t>> orders_;
};

// Efraimidis and Spirakis, "Weighted random sampling with a reservoir" (Information Processing Letters 97,
// 2006): the samples that arrive first, in the order of their arrival.
std::vector<std::uint64_t> WeightedSampler::DrawsWithoutReplacement::draw(std::uint64_t epoch) const {
  std::vector<Arrival> arrivals;
  arrivals.reserve(weights_.size());
  for (std::uint64_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i] > 0) arrivals.push_back(arrival(seed_, epoch, i, weights_[i]));
  }
  const auto last = arrivals.begin() + static_cast<std::ptrdiff_t>(num_samples_);
  std::nth_element(arrivals.begin(), last, arrivals.end());
  std::sort(arrivals.begin(), last);
  std::vector<std::uint64_t> order;
  order.reserve(num_samples_);
  for (auto next = arrivals.begin(); next != last; ++next) order.push_back(next->second);
  return order;
}

WeightedSampler::WeightedSampler(std::vector<double> weights, std::size_t num_samples,
                                 WeightedSamplerOptions options)
    : num_samples_(num_samples) {
  require_weights(weights, num_samples, options.replacement);
  fingerprint_ =
      fmt::format("weighted: {} samples {} replacement, {} weights with digest {}, seed {}", num_samples,
                  options.replacement ? "with" : "without", weights.size(), digest_of(weights), options.seed);
  const std::uint64_t seed = derived_seed(options.seed, SeedUse::weighted_draws);
  if (options.replacement) {
    draws_ = std::make_unique<DrawsWithReplacement>(weights, seed);
  } else {
    draws_ = std::make_unique<DrawsWithoutReplacement>(std::move(weights), num_samples, seed);
  }
}

WeightedSampler::~WeightedSampler() = default;

void WeightedSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  draws_->indices(epoch, first, out);
}

}  // namespace leat
