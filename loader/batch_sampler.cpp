#include "leat/loader/batch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/samplers/epoch_plan.h"
#include "leat/loader/samplers/fingerprint.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kDigestedBatches = 16;

// The batches of another batch sampler that were not consumed.
class Rest final : public BatchSampler {
 public:
  // `whole` is shared with the user, who may drop it before the rest is consumed.
  Rest(std::shared_ptr<const BatchSampler> whole, PositionSet consumed)
      : whole_(std::move(whole)), consumed_(std::move(consumed)) {}
  std::size_t size(std::uint64_t epoch) const override { return whole_->size(epoch) - consumed_.size(); }
  std::size_t max_batch_size() const override { return whole_->max_batch_size(); }
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override {
    whole_->batch(epoch, consumed_.missing(number), out);
  }
  std::string fingerprint() const override { return whole_->fingerprint(); }

 private:
  std::shared_ptr<const BatchSampler> whole_;
  PositionSet consumed_;
};

}  // namespace

std::shared_ptr<const BatchSampler> BatchSampler::remaining(std::uint64_t epoch,
                                                            const PositionSet& consumed) const {
  if (world_size() > 1) {
    throw ArgumentError(
        fmt::format("a batch sampler for {} ranks must say itself what remains of an epoch: "
                    "override BatchSampler::remaining()",
                    world_size()));
  }
  auto self = weak_from_this().lock();
  if (!self) throw ArgumentError("what remains of an epoch needs a batch sampler that a shared_ptr holds");
  consumed.require_below(size(epoch));
  return std::make_shared<Rest>(std::move(self), consumed);
}

std::string BatchSampler::fingerprint() const {
  if (world_size() > 1) return "batch sampler of its own kind";
  const std::size_t batches = size(0), digested = std::min(batches, kDigestedBatches);
  std::vector<std::uint64_t> all, one;
  for (std::size_t i = 0; i < digested; ++i) {
    batch(0, spread_position(i, digested, batches), one);
    all.push_back(one.size());
    all.insert(all.end(), one.begin(), one.end());
  }
  return fmt::format("batch sampler of its own kind: {} batches, digest {}", batches, digest_of(all));
}

void BatchSampler::require_number(std::uint64_t epoch, std::size_t number, std::size_t batches) {
  if (number < batches) return;
  throw ArgumentError(
      fmt::format("batch {} was asked for, but epoch {} has {} batches, from 0 on", number, epoch, batches));
}

FixedSizeBatchSampler::FixedSizeBatchSampler(std::shared_ptr<const Sampler> sampler, std::size_t batch_size,
                                             bool drop_last)
    : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
  if (!sampler_) throw ArgumentError("batches need a sampler, but the pointer to it is null");
  if (batch_size == 0) throw ArgumentError("batch_size is 0; a batch has at least 1 row");
}

std::size_t FixedSizeBatchSampler::size(std::uint64_t) const {
  return EpochPlan{sampler_->size(), batch_size_, drop_last_}.batches();
}

void FixedSizeBatchSampler::batch(std::uint64_t epoch, std::size_t number,
                                  std::vector<std::uint64_t>& out) const {
  const EpochPlan cut{sampler_->size(), batch_size_, drop_last_};
  require_number(epoch, number, cut.batches());
  out.resize(cut.rows(number));
  sampler_->indices(epoch, cut.first(number), out);
}

std::shared_ptr<const BatchSampler> FixedSizeBatchSampler::remaining(std::uint64_t epoch,
                                                                     const PositionSet& consumed) const {
  return std::make_shared<FixedSizeBatchSampler>(sampler_->remaining(epoch, consumed), batch_size_,
                                                 drop_last_);
}

}  // namespace leat
