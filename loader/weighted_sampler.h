// Samples drawn in proportion to weights, for instance to balance classes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leat/loader/sampler.h"

namespace leat {

struct WeightedSamplerOptions {
  // On: every position is drawn from all samples. Off: no sample comes twice in an epoch, and the epoch is
  // what drawing one after the other from those that are left gives.
  bool replacement = true;
  std::uint64_t seed = 0;
};

// PyTorch's WeightedRandomSampler: `num_samples` positions per epoch, drawn from the samples 0, 1, ... of
// which each has a weight; weights need not sum to 1, and a sample of weight 0 never comes.
//
// With replacement, a draw is a function of (seed, epoch, position) in O(1) time. Without, the order of an
// epoch is worked out as a whole, in O(n) time and memory, when its first position is asked for, and kept
// until another epoch is. Thread-safe.
class WeightedSampler final : public Sampler {
 public:
  // Throws ArgumentError for a weight that is negative or not finite, where no weight is above 0, and,
  // without replacement, where fewer than `num_samples` are.
  WeightedSampler(std::vector<double> weights, std::size_t num_samples, WeightedSamplerOptions options = {});
  ~WeightedSampler() override;
  std::size_t size() const override { return num_samples_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::string fingerprint() const override { return fingerprint_; }

 private:
  class Draws;  // of an epoch, with replacement or without
  class DrawsWithReplacement;
  class DrawsWithoutReplacement;

  std::size_t num_samples_;
  std::string fingerprint_;
  std::unique_ptr<const Draws> draws_;
};

}  // namespace leat
