// Batches of samples of similar length, so that little of a padded batch is padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/loader/batch_sampler.h"
#include "leat/loader/rank_share.h"

namespace leat {

struct BucketBatchSamplerOptions {
  // Ascending. n boundaries make n + 1 buckets; bucket i holds the lengths from boundaries[i - 1] on, below
  // boundaries[i] (as tf.data's bucket_by_sequence_length has it).
  std::vector<std::uint64_t> boundaries = {};
  // Rows per batch: one number for each bucket, or one for all, or none where there is a token budget.
  std::vector<std::size_t> batch_sizes = {};
  // Of a batch, as it is when padded: rows times the longest length among them (a length of 0 counts as 1).
  // With batch sizes too, both limits hold.
  std::optional<std::uint64_t> token_budget = std::nullopt;
  // Samples within their bucket, then the batches of all buckets; a new order each epoch. Off: ascending
  // indices, bucket after bucket.
  bool shuffle = true;
  std::uint64_t seed = 0;
  // Leave out the last batch of a bucket where its limits have room for one more row like its longest.
  bool drop_last = false;
  // The ranks divide the batches of an epoch. `pad` repeats the first batches, `drop` leaves out the last
  // ones: then all ranks have equally many.
  int rank = 0;
  int world_size = 1;
  RemainderPolicy remainder = RemainderPolicy::pad;
};

// Each batch holds samples of one bucket; each sample comes once per epoch over all ranks, but for
// `drop_last` and `remainder`. Rank r has the batches r, r + world_size, ... of an order that depends on
// (lengths, limits, seed, epoch) alone. With a token budget, the number of batches may differ between epochs.
//
// Memory: 8 bytes per sample, 16 with a token budget, and 24 per batch. Where a token budget meets shuffling,
// batches end at other places each epoch; the first question about an epoch then takes O(n) time, and the
// answer is kept until another epoch is asked for. Thread-safe.
class BucketBatchSampler final : public BatchSampler {
 public:
  // `lengths` are those of the samples 0, 1, ... Throws ArgumentError for boundaries that do not ascend,
  // batch sizes that are 0 or do not match the buckets, limits that are missing or that one sample alone
  // exceeds, and a rank outside its world.
  BucketBatchSampler(std::vector<std::uint64_t> lengths, const BucketBatchSamplerOptions& options);
  std::size_t size(std::uint64_t epoch) const override;
  std::size_t max_batch_size() const override;
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override;
  std::size_t world_size() const override { return share_.world_size(); }
  std::size_t rank() const override { return share_.rank(); }
  std::size_t positions(std::uint64_t epoch) const override;
  /// The samplers that consumed the batches and the one that is asked may differ in rank and world size. Padding
  /// repeats from the start of the epoch.
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
