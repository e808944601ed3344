// Which samples make up each batch of an epoch. A batch sampler is a pure function of (epoch, number), as a
// Sampler is of (epoch, position): any batch of any epoch can be asked for at once, by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/loader/position_set.h"
#include "leat/loader/sampler.h"

namespace leat {

class BatchSampler : public std::enable_shared_from_this<BatchSampler> {
 public:
  virtual ~BatchSampler() = default;

  // Batches of `epoch` (on this rank).
  virtual std::size_t size(std::uint64_t epoch) const = 0;

  // The rows of no batch of any epoch are more; at least 1.
  virtual std::size_t max_batch_size() const = 0;

  // Replaces `out` by the dataset's indices of one batch, in order. Throws ArgumentError where `number` is
  // not below size(epoch).
  virtual void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const = 0;

  /// Number of ranks that share one order of batches and visit disjoint parts of it, this one included.
  virtual std::size_t world_size() const { return 1; }
  /// This rank, in [0, world_size()).
  virtual std::size_t rank() const { return 0; }

  /// Length of the order of `epoch` that the ranks share. Its positions are batches, or samples if batch_size() says
  /// how many of them a batch takes. Override it if world_size() may be above 1.
  virtual std::size_t positions(std::uint64_t epoch) const { return size(epoch); }
  /// Samples per batch, if what remains of an epoch can be cut into batches of any size.
  virtual std::optional<std::size_t> batch_size() const { return std::nullopt; }

  /// This rank's batches of what is left of `epoch` after all ranks together consumed the positions `consumed`. Their
  /// numbers count from 0 again. The rules of Sampler::remaining() apply.
  ///
  /// The default keeps this batch sampler alive and skips the consumed batches. It throws ArgumentError if no
  /// shared_ptr holds the batch sampler, or if world_size() is above 1: override it then.
  virtual std::shared_ptr<const BatchSampler> remaining(std::uint64_t epoch,
                                                        const PositionSet& consumed) const;

  /// One line that says which order the ranks share; see Sampler::fingerprint(). The default consists of the number
  /// of batches of epoch 0 and a digest of up to 16 of them.
  virtual std::string fingerprint() const;

 protected:
  // What batch() throws for a number that is not below `batches`.
  static void require_number(std::uint64_t epoch, std::size_t number, std::size_t batches);
};

// A sampler's order cut into batches of equal size, but for the last one: that is short, or left out.
class FixedSizeBatchSampler final : public BatchSampler {
 public:
  // The sampler is shared, since the caller that built it usually keeps it. Throws ArgumentError where there
  // is none, and for a batch size of 0.
  FixedSizeBatchSampler(std::shared_ptr<const Sampler> sampler, std::size_t batch_size, bool drop_last);
  std::size_t size(std::uint64_t epoch) const override;
  std::size_t max_batch_size() const override { return batch_size_; }
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override;
  std::size_t positions(std::uint64_t) const override { return sampler_->positions(); }
  std::optional<std::size_t> batch_size() const override { return batch_size_; }
  std::size_t world_size() const override { return sampler_->world_size(); }
  std::size_t rank() const override { return sampler_->rank(); }
  std::shared_ptr<const BatchSampler> remaining(std::uint64_t epoch,
                                                const PositionSet& consumed) const override;
  std::string fingerprint() const override { return sampler_->fingerprint(); }

 private:
  std::shared_ptr<const Sampler> sampler_;
  std::size_t batch_size_;
  bool drop_last_;
};

}  // namespace leat
