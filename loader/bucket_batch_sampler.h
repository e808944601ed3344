/// \file
/// Batches of samples of similar length, so that little of a padded batch is padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/batch_sampler.h"
#include "leat/loader/rank_share.h"

namespace leat {

/// Options of a BucketBatchSampler.
struct LEAT_EXPORT BucketBatchSamplerOptions {
  /// Boundaries of the buckets, ascending. n boundaries make n + 1 buckets; bucket i holds the lengths from
  /// boundaries[i - 1] on and below boundaries[i], as tf.data's bucket_by_sequence_length does.
  std::vector<std::uint64_t> boundaries = {};
  /// Rows per batch: one number for each bucket, or one number for all; may be empty if there is a token budget.
  std::vector<std::size_t> batch_sizes = {};
  /// Greatest size of a padded batch: rows times the longest length among them, where a length of 0 counts as 1. If
  /// there are batch sizes, too, both limits hold.
  std::optional<std::uint64_t> token_budget = std::nullopt;
  /// Whether to shuffle the samples within their bucket, then the batches of all buckets, anew in each epoch. Otherwise
  /// indices ascend, bucket after bucket.
  bool shuffle = true;
  std::uint64_t seed = 0;  ///< of the shuffling
  /// Whether to leave out the last batch of a bucket if its limits have room for one more row like its longest.
  bool drop_last = false;
  int rank = 0;        ///< this rank, in [0, world_size)
  int world_size = 1;  ///< number of ranks, which divide the batches of an epoch
  /// What becomes of batches that cannot be divided evenly: `pad` repeats the first batches, `drop` leaves out the
  /// last.
  RemainderPolicy remainder = RemainderPolicy::pad;
};

/// Makes each batch of samples of one bucket. Thread-safe.
///
/// Each sample comes once per epoch over all ranks, except for what `drop_last` and `remainder` leave out or repeat.
/// Rank r has the batches r, r + world_size, ... of an order that depends on (lengths, limits, seed, epoch) alone. With
/// a token budget, the number of batches may differ between epochs.
///
/// Takes 8 bytes of memory per sample, 16 with a token budget, and 24 per batch. With a token budget and shuffling,
/// batches end at other places in each epoch; the first call for an epoch then takes O(n) time, and its result is kept
/// until a call for another epoch.
class LEAT_EXPORT BucketBatchSampler final : public BatchSampler {
 public:
  /// Divides the samples 0, 1, ... of these lengths into batches. Throws ArgumentError for boundaries that do not
  /// ascend, batch sizes that are 0 or do not match the buckets, missing limits, limits that a single sample exceeds,
  /// and a rank outside its world.
  BucketBatchSampler(std::vector<std::uint64_t> lengths, const BucketBatchSamplerOptions& options);
  std::size_t size(std::uint64_t epoch) const override;
  std::size_t max_batch_size() const override;
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override;
  std::size_t world_size() const override { return share_.world_size(); }
  std::size_t rank() const override { return share_.rank(); }
  std::size_t positions(std::uint64_t epoch) const override;
  /// Returns what is left of an epoch. The samplers that consumed the batches and this one may differ in rank and world
  /// size. Padding repeats batches from the start of the epoch.
  std::shared_ptr<const BatchSampler> remaining(std::uint64_t epoch,
                                                const PositionSet& consumed) const override;
  std::string fingerprint() const override;

 private:
  class Buckets;  // the batches of the shared order
  class Rest;     // of an epoch

  RankShare share_;
  std::shared_ptr<const Buckets> buckets_;
};

}  // namespace leat
