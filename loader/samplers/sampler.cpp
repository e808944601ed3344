#include "loader/samplers/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "loader/base/errors.h"
#include "loader/samplers/permutation.h"

namespace leat {

namespace {

// The positions of another sampler from one on.
class Tail final : public Sampler {
 public:
  // `whole` is shared with the user, who may drop it before the rest is consumed.
  Tail(std::shared_ptr<const Sampler> whole, std::size_t first) : whole_(std::move(whole)), first_(first) {}
  std::size_t size() const override { return whole_->size() - std::min(first_, whole_->size()); }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override {
    whole_->indices(epoch, first_ + first, out);
  }

 private:
  std::shared_ptr<const Sampler> whole_;
  std::size_t first_;
};

}  // namespace

std::shared_ptr<const Sampler> Sampler::remaining(std::uint64_t, std::size_t consumed) const {
  if (world_size() > 1) {
    throw ArgumentError(
        fmt::format("a sampler for {} ranks must say itself what remains of an epoch: "
                    "override Sampler::remaining()",
                    world_size()));
  }
  auto self = weak_from_this().lock();
  if (!self) throw ArgumentError("what remains of an epoch needs a sampler that a shared_ptr holds");
  return std::make_shared<Tail>(std::move(self), consumed);
}

void SequentialSampler::indices(std::uint64_t, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
}

void RandomSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
  Permutation(samples_, seed_, epoch).apply(out);
}

DistributedSampler::DistributedSampler(std::size_t samples, DistributedSamplerOptions options)
    : samples_(samples),
      share_(options.rank, options.world_size, options.uneven),
      shuffle_(options.shuffle),
      seed_(options.seed) {}

void DistributedSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (consumed_ + share_.position(first + i)) % samples_;  // beyond the end: padding, from the start
  }
  if (shuffle_) Permutation(samples_, seed_, epoch).apply(out);
}

std::shared_ptr<const Sampler> DistributedSampler::remaining(std::uint64_t, std::size_t consumed) const {
  auto rest = std::make_shared<DistributedSampler>(*this);
  rest->consumed_ += std::min(consumed, samples_ - consumed_);
  return rest;
}

}  // namespace leat
