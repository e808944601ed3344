// Some samples of a dataset: a split, a class, one fold of a cross-validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leat/loader/sampler.h"

namespace leat {

struct SubsetSamplerOptions {
  bool shuffle = true;  // PyTorch's SubsetRandomSampler; off: in the order given
  std::uint64_t seed = 0;
};

// Visits the given indices, each as often as it is given.
class SubsetSampler final : public Sampler {
 public:
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
