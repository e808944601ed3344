/// \file
/// A sampler of some samples of a dataset: a split, a class, one fold of a cross-validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/sampler.h"

namespace leat {

/// Options of a SubsetSampler.
struct LEAT_EXPORT SubsetSamplerOptions {
  /// Whether to visit them in a new random order each epoch, as PyTorch's SubsetRandomSampler does. If not, they come
  /// in the order given.
  bool shuffle = true;
  std::uint64_t seed = 0;  ///< of the order
};

/// Visits the given indices, each as often as it is given.
class LEAT_EXPORT SubsetSampler final : public Sampler {
 public:
  /// Visits the samples with these indices.
  explicit SubsetSampler(std::vector<std::uint64_t> indices, SubsetSamplerOptions options = {});
  std::size_t size() const override { return indices_.size(); }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::string fingerprint() const override { return fingerprint_; }

 private:
  std::vector<std::uint64_t> indices_;
  SubsetSamplerOptions options_;
  std::string fingerprint_;
};

}  // namespace leat
