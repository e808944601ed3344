/// \file
/// A sampler that draws samples in proportion to weights, for instance to balance classes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/sampler.h"

namespace leat {

/// Options of a WeightedSampler.
struct LEAT_EXPORT WeightedSamplerOptions {
  /// Whether every position is drawn from all samples. If not, it is drawn from those that are left, so that no sample
  /// comes twice in an epoch.
  bool replacement = true;
  std::uint64_t seed = 0;  ///< of the draws
};

/// Draws samples in proportion to their weights, as PyTorch's WeightedRandomSampler does. Weights need not sum to 1; a
/// sample of weight 0 never comes. Thread-safe.
///
/// With replacement, a draw is a function of (seed, epoch, position) in O(1) time. Without, the order of an epoch is
/// computed as a whole, in O(n) time and memory, when one of its positions is first asked for, and kept until another
/// epoch is asked for.
class LEAT_EXPORT WeightedSampler final : public Sampler {
 public:
  /// Draws `num_samples` of the samples 0, 1, ... of these weights in each epoch. Throws ArgumentError for a weight
  /// that is negative or not finite, if no weight is above 0 and, without replacement, if fewer than `num_samples` are.
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
