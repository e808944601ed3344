#include "leat/loader/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/loader/samplers/fingerprint.h"
#include "leat/loader/samplers/permutation.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kDigestedPositions = 64;

// The positions of another sampler that were not consumed.
class Rest final : public Sampler {
 public:
  // `whole` is shared with the user, who may drop it before the rest is consumed.
  Rest(std::shared_ptr<const Sampler> whole, PositionSet consumed)
      : whole_(std::move(whole)), consumed_(std::move(consumed)) {}
  std::size_t size() const override { return whole_->size() - consumed_.size(); }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override {
    for (const auto [begin, end] : consumed_.missing({first, first + out.size()})) {
      whole_->indices(epoch, begin, out.first(end - begin));
      out = out.subspan(end - begin);
    }
  }
  std::string fingerprint() const override { return whole_->fingerprint(); }

 private:
  std::shared_ptr<const Sampler> whole_;
  PositionSet consumed_;
};

}  // namespace

std::shared_ptr<const Sampler> Sampler::remaining(std::uint64_t, const PositionSet& consumed) const {
  if (world_size() > 1) {
    throw ArgumentError(
        fmt::format("a sampler for {} ranks must say itself what remains of an epoch: "
                    "override Sampler::remaining()",
                    world_size()));
  }
  auto self = weak_from_this().lock();
  if (!self) throw ArgumentError("what remains of an epoch needs a sampler that a shared_ptr holds");
  consumed.require_below(size());
  return std::make_shared<Rest>(std::move(self), consumed);
}

std::string Sampler::fingerprint() const {
  if (world_size() > 1) return "sampler of its own kind";
  std::vector<std::uint64_t> digested(std::min(size(), kDigestedPositions));
  for (std::size_t i = 0; i < digested.size(); ++i) {
    indices(0, spread_position(i, digested.size(), size()), std::span(digested).subspan(i, 1));
  }
  return fmt::format("sampler of its own kind: {} samples, digest {}", size(), digest_of(digested));
}

void SequentialSampler::indices(std::uint64_t, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
}

std::string SequentialSampler::fingerprint() const {
  return fmt::format("sequential: {} samples", samples_);
}

void RandomSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  std::iota(out.begin(), out.end(), first);
  Permutation(samples_, seed_, epoch).apply(out);
}

std::string RandomSampler::fingerprint() const {
  return fmt::format("random: {} samples, seed {}", samples_, seed_);
}

DistributedSampler::DistributedSampler(std::size_t samples, DistributedSamplerOptions options)
    : samples_(samples),
      share_(options.rank, options.world_size, options.remainder),
      shuffle_(options.shuffle),
      seed_(options.seed) {}

void DistributedSampler::indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const {
  const std::size_t left = positions();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t position = share_.position(first + i);
    out[i] = position < left ? consumed_.missing(position) : (position - left) % samples_;  // padding
  }
  if (shuffle_) Permutation(samples_, seed_, epoch).apply(out);
}

std::shared_ptr<const Sampler> DistributedSampler::remaining(std::uint64_t,
                                                             const PositionSet& consumed) const {
  consumed.require_below(positions());
  auto rest = std::make_shared<DistributedSampler>(*this);
  rest->consumed_.insert_missing(consumed);
  return rest;
}

std::string DistributedSampler::fingerprint() const {
  const std::string order = shuffle_ ? fmt::format("seed {}", seed_) : "not shuffled";
  return fmt::format("distributed: {} samples, {}", samples_, order);
}

}  // namespace leat
