// Which samples make up each batch of an epoch. A batch sampler is a pure function of (epoch, number), as a
// Sampler is of (epoch, position): any batch of any epoch can be asked for at once, by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "loader/samplers/epoch_plan.h"
#include "loader/samplers/sampler.h"

namespace leat {

class BatchSampler {
 public:
  virtual ~BatchSampler() = default;

  // Batches of `epoch` (on this rank).
  virtual std::size_t size(std::uint64_t epoch) const = 0;

  // The rows of no batch of any epoch are more; at least 1.
  virtual std::size_t max_batch_size() const = 0;

  // Replaces `out` by the dataset's indices of one batch, in order. Throws ArgumentError where `number` is
  // not below size(epoch).
  virtual void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const = 0;

 protected:
  // What batch() throws for a number that is not below `batches`.
  static void require_number(std::uint64_t epoch, std::size_t number, std::size_t batches);
};

// A sampler's order cut into batches of equal size, but for the last one: that is short, or left out.
class SampledBatches final : public BatchSampler {
 public:
  // The sampler is shared, since the caller that built it usually keeps it. Throws ArgumentError where there
  // is none, and for a batch size of 0.
  SampledBatches(std::shared_ptr<const Sampler> sampler, std::size_t batch_size, bool drop_last);
  std::size_t size(std::uint64_t epoch) const override;
  std::size_t max_batch_size() const override { return batch_size_; }
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override;

 private:
  EpochPlan plan() const { return {sampler_->size(), batch_size_, drop_last_}; }

  std::shared_ptr<const Sampler> sampler_;
  std::size_t batch_size_;
  bool drop_last_;
};

}  // namespace leat
