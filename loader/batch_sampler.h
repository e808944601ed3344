/// \file
/// Batch samplers, which say which samples make up each batch of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/position_set.h"
#include "leat/loader/sampler.h"

namespace leat {

/// Says which samples make up each batch of an epoch: a pure function of (epoch, number), so that any thread can ask
/// for any batch of any epoch.
class LEAT_EXPORT BatchSampler : public std::enable_shared_from_this<BatchSampler> {
 public:
  virtual ~BatchSampler() = default;

  /// Returns the number of batches of an epoch, on this rank.
  virtual std::size_t size(std::uint64_t epoch) const = 0;

  /// Returns the greatest number of rows of a batch of any epoch; at least 1.
  virtual std::size_t max_batch_size() const = 0;

  /// Replaces `out` by the dataset's indices of one batch, in order. Throws ArgumentError if `number` is not below
  /// size(epoch).
  virtual void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const = 0;

  /// Returns the number of ranks that share one order of batches and visit disjoint parts of it, this one included.
  virtual std::size_t world_size() const { return 1; }
  /// Returns this rank, in [0, world_size()).
  virtual std::size_t rank() const { return 0; }

  /// Returns the length of the order of `epoch` that the ranks share. Its positions are batches, or samples if
  /// batch_size() says how many of them a batch takes. Override it if world_size() may be above 1.
  virtual std::size_t positions(std::uint64_t epoch) const { return size(epoch); }
  /// Returns the number of samples per batch, or nullopt if what remains of an epoch cannot be cut into batches of
  /// another size.
  virtual std::optional<std::size_t> batch_size() const { return std::nullopt; }

  /// Returns this rank's batches of what is left of `epoch` after all ranks together consumed the positions `consumed`.
  /// Their numbers count from 0 again. The rules of Sampler::remaining() apply.
  ///
  /// The default keeps this batch sampler alive and skips the consumed batches. It throws ArgumentError if no
  /// shared_ptr holds the batch sampler, or if world_size() is above 1: override it then.
  virtual std::shared_ptr<const BatchSampler> remaining(std::uint64_t epoch,
                                                        const PositionSet& consumed) const;

  /// Returns one line that says which order the ranks share; see Sampler::fingerprint(). The default consists of the
  /// number of batches of epoch 0 and a digest of up to 16 of them.
  virtual std::string fingerprint() const;

 protected:
  /// Throws what batch() throws for a number that is not below `batches`.
  static void require_number(std::uint64_t epoch, std::size_t number, std::size_t batches);
};

/// Cuts a sampler's order into batches of equal size; the last one may be short, or left out.
class LEAT_EXPORT FixedSizeBatchSampler final : public BatchSampler {
 public:
  /// Cuts the order of `sampler`; `drop_last` leaves out a short last batch. Throws ArgumentError for a null sampler,
  /// and for a batch size of 0.
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
