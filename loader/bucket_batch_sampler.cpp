#include "leat/loader/bucket_batch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/samplers/derived_seed.h"
#include "leat/loader/samplers/epoch_cache.h"
#include "leat/loader/samplers/fingerprint.h"
#include "leat/loader/samplers/permutation.h"

namespace leat {

using namespace detail;

namespace {

void require_boundaries(const std::vector<std::uint64_t>& boundaries) {
  for (std::size_t i = 1; i < boundaries.size(); ++i) {
    if (boundaries[i] > boundaries[i - 1]) continue;
    throw ArgumentError(fmt::format("boundaries[{}] is {}, which is not above boundaries[{}], {}", i,
                                    boundaries[i], i - 1, boundaries[i - 1]));
  }
}

void require_batch_sizes(const std::vector<std::size_t>& batch_sizes, std::size_t buckets) {
  if (batch_sizes.size() > 1 && batch_sizes.size() != buckets) {
    throw ArgumentError(
        fmt::format("there are {} batch_sizes, but {} boundaries make {} buckets: give one for "
                    "each bucket, or one for all",
                    batch_sizes.size(), buckets - 1, buckets));
  }
  for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
    if (batch_sizes[i] == 0) {
      throw ArgumentError(fmt::format("batch_sizes[{}] is 0; a batch has at least 1 row", i));
    }
  }
}

void require_token_budget(std::uint64_t budget, const std::vector<std::uint64_t>& lengths) {
  if (budget == 0) throw ArgumentError("token_budget is 0; a batch has at least 1 token");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] <= budget) continue;
    throw ArgumentError(
        fmt::format("sample {} has length {}, more than the token_budget of {}; leave it out, "
                    "or raise the budget",
                    i, lengths[i], budget));
  }
}

void require_options(const BucketBatchSamplerOptions& options, const std::vector<std::uint64_t>& lengths) {
  require_boundaries(options.boundaries);
  require_batch_sizes(options.batch_sizes, options.boundaries.size() + 1);
  if (options.token_budget) {
    require_token_budget(*options.token_budget, lengths);
  } else if (options.batch_sizes.empty()) {
    throw ArgumentError("nothing limits a batch: give batch_sizes, a token_budget, or both");
  }
}

std::size_t rows_limit(const std::vector<std::size_t>& batch_sizes, std::size_t bucket) {
  if (batch_sizes.empty()) return std::numeric_limits<std::size_t>::max();
  return batch_sizes.size() == 1 ? batch_sizes[0] : batch_sizes[bucket];
}

std::string fingerprint_of(const BucketBatchSamplerOptions& options,
                           const std::vector<std::uint64_t>& lengths) {
  return fmt::format(
      "buckets: {} samples, lengths with digest {}, boundaries [{}], batch sizes [{}], {}, {}, drop_last {}",
      lengths.size(), digest_of(lengths), fmt::join(options.boundaries, ", "),
      fmt::join(options.batch_sizes, ", "),
      options.token_budget ? fmt::format("token budget {}", *options.token_budget) : "no token budget",
      options.shuffle ? fmt::format("seed {}", options.seed) : "not shuffled", options.drop_last);
}

}  // namespace

// Everything except the division among ranks.
class BucketBatchSampler::Buckets {
 public:
  Buckets(std::vector<std::uint64_t> lengths, const BucketBatchSamplerOptions& options);

  const std::string& fingerprint() const noexcept { return fingerprint_; }
  std::size_t max_batch_size() const noexcept { return max_batch_size_; }
  std::size_t batches(std::uint64_t epoch) const { return cuts(epoch)->size(); }
  // Replaces `out` by batch `number` of the rank's share of what is left after the positions `consumed`.
  void batch(std::uint64_t epoch, std::size_t number, const RankShare& share, const PositionSet& consumed,
             std::vector<std::uint64_t>& out) const;

 private:
  struct Bucket {
    std::vector<std::uint64_t> samples;  // ascending
    std::size_t max_rows;
    std::uint64_t seed;
  };
  struct Cut {  // one batch: the positions from `first` on in a bucket's order
    std::size_t bucket;
    std::size_t first;
    std::size_t rows;
  };
  class Permuted;  // the samples of a bucket in an epoch

  void fill_buckets(const BucketBatchSamplerOptions& options);
  std::size_t largest_batch(const Bucket& bucket) const;
  std::shared_ptr<const std::vector<Cut>> cuts(std::uint64_t epoch) const;
  void cut_bucket(std::size_t number, std::uint64_t epoch, std::vector<Cut>& cuts) const;
  std::size_t rows_from(std::size_t first, const Bucket& bucket, const Permuted& samples) const;
  bool has_room(const Cut& cut, const Permuted& samples) const;
  bool within_budget(std::size_t rows, std::uint64_t longest) const;

  // Constant after construction.
  std::vector<std::uint64_t> lengths_;  // with a token budget
  std::optional<std::uint64_t> token_budget_;
  bool shuffle_;
  bool drop_last_;
  std::uint64_t seed_;  // of the order of the batches
  std::vector<Bucket> buckets_;
  std::size_t max_batch_size_ = 1;
  std::string fingerprint_;

  EpochCache<std::vector<Cut>> cuts_;
};

class BucketBatchSampler::Buckets::Permuted {
 public:
  Permuted(const Bucket& bucket, bool shuffle, std::uint64_t epoch)
      : samples_(bucket.samples), shuffle_(shuffle), order_(samples_.size(), bucket.seed, epoch) {}

  std::uint64_t operator[](std::size_t position) const {
    return samples_[shuffle_ ? order_(position) : position];
  }

 private:
  const std::vector<std::uint64_t>& samples_;
  bool shuffle_;
  Permutation order_;
};

BucketBatchSampler::Buckets::Buckets(std::vector<std::uint64_t> lengths,
                                     const BucketBatchSamplerOptions& options)
    : lengths_(std::move(lengths)),
      token_budget_(options.token_budget),
      shuffle_(options.shuffle),
      drop_last_(options.drop_last),
      seed_(derived_seed(options.seed, SeedUse::bucket_order)) {
  require_options(options, lengths_);
  fingerprint_ = fingerprint_of(options, lengths_);
  fill_buckets(options);
  for (const Bucket& bucket : buckets_) max_batch_size_ = std::max(max_batch_size_, largest_batch(bucket));
  if (!token_budget_) lengths_ = {};
}

void BucketBatchSampler::Buckets::fill_buckets(const BucketBatchSamplerOptions& options) {
  const auto& boundaries = options.boundaries;
  for (std::size_t i = 0; i <= boundaries.size(); ++i) {
    buckets_.push_back(
        {{}, rows_limit(options.batch_sizes, i), derived_seed(options.seed, SeedUse::bucket_order, i + 1)});
  }
  for (std::uint64_t sample = 0; sample < lengths_.size(); ++sample) {
    const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), lengths_[sample]);
    buckets_[static_cast<std::size_t>(above - boundaries.begin())].samples.push_back(sample);
  }
}

bool BucketBatchSampler::Buckets::within_budget(std::size_t rows, std::uint64_t longest) const {
  return !token_budget_ || rows <= *token_budget_ / std::max<std::uint64_t>(longest, 1);
}

// Returns an upper bound of the rows of a batch of this bucket in any epoch: the rows of a batch of its shortest
// samples.
std::size_t BucketBatchSampler::Buckets::largest_batch(const Bucket& bucket) const {
  const std::size_t limit = std::min(bucket.max_rows, bucket.samples.size());
  if (!token_budget_) return limit;
  std::vector<std::uint64_t> ascending;
  ascending.reserve(bucket.samples.size());
  for (const std::uint64_t sample : bucket.samples) ascending.push_back(lengths_[sample]);
  std::sort(ascending.begin(), ascending.end());
  std::size_t rows = 0;
  while (rows < limit && within_budget(rows + 1, ascending[rows])) ++rows;
  return rows;
}

std::shared_ptr<const std::vector<BucketBatchSampler::Buckets::Cut>> BucketBatchSampler::Buckets::cuts(
    std::uint64_t epoch) const {
  const std::uint64_t cut_epoch = token_budget_ && shuffle_ ? epoch : 0;  // all others are cut like epoch 0
  return cuts_.get(cut_epoch, [&] {
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < buckets_.size(); ++i) cut_bucket(i, cut_epoch, cuts);
    return cuts;
  });
}

void BucketBatchSampler::Buckets::cut_bucket(std::size_t number, std::uint64_t epoch,
                                             std::vector<Cut>& cuts) const {
  const Bucket& bucket = buckets_[number];
  if (bucket.samples.empty()) return;
  const Permuted samples(bucket, shuffle_, epoch);
  for (std::size_t first = 0; first < bucket.samples.size(); first += cuts.back().rows) {
    cuts.push_back({number, first, rows_from(first, bucket, samples)});
  }
  if (drop_last_ && has_room(cuts.back(), samples)) cuts.pop_back();
}

std::size_t BucketBatchSampler::Buckets::rows_from(std::size_t first, const Bucket& bucket,
                                                   const Permuted& samples) const {
  const std::size_t limit = std::min(bucket.max_rows, bucket.samples.size() - first);
  if (!token_budget_) return limit;
  std::uint64_t longest = 0;
  for (std::size_t rows = 0; rows < limit; ++rows) {
    longest = std::max(longest, lengths_[samples[first + rows]]);
    if (!within_budget(rows + 1, longest)) return rows;
  }
  return limit;
}

bool BucketBatchSampler::Buckets::has_room(const Cut& cut, const Permuted& samples) const {
  if (cut.rows == buckets_[cut.bucket].max_rows) return false;
  if (!token_budget_) return true;
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < cut.rows; ++i) longest = std::max(longest, lengths_[samples[cut.first + i]]);
  return within_budget(cut.rows + 1, longest);
}

void BucketBatchSampler::Buckets::batch(std::uint64_t epoch, std::size_t number, const RankShare& share,
                                        const PositionSet& consumed, std::vector<std::uint64_t>& out) const {
  const auto cuts = this->cuts(epoch);
  const std::size_t left = cuts->size() - consumed.size();
  require_number(epoch, number, share.size(left));
  std::size_t position = share.position(number);
  position = position < left ? consumed.missing(position) : (position - left) % cuts->size();  // padding
  const Cut& cut = (*cuts)[shuffle_ ? Permutation(cuts->size(), seed_, epoch)(position) : position];
  const Permuted samples(buckets_[cut.bucket], shuffle_, epoch);
  out.clear();
  for (std::size_t i = 0; i < cut.rows; ++i) out.push_back(samples[cut.first + i]);
}

class BucketBatchSampler::Rest final : public BatchSampler {
 public:
  Rest(std::shared_ptr<const Buckets> buckets, const RankShare& share, PositionSet consumed)
      : buckets_(std::move(buckets)), share_(share), consumed_(std::move(consumed)) {}
  std::size_t size(std::uint64_t epoch) const override { return share_.size(positions(epoch)); }
  std::size_t max_batch_size() const override { return buckets_->max_batch_size(); }
  void batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const override {
    buckets_->batch(epoch, number, share_, consumed_, out);
  }
  std::size_t world_size() const override { return share_.world_size(); }
  std::size_t rank() const override { return share_.rank(); }
  std::size_t positions(std::uint64_t epoch) const override {
    return buckets_->batches(epoch) - consumed_.size();
  }
  std::shared_ptr<const BatchSampler> remaining(std::uint64_t epoch,
                                                const PositionSet& consumed) const override {
    consumed.require_below(positions(epoch));
    PositionSet all = consumed_;
    all.insert_missing(consumed);
    return std::make_shared<Rest>(buckets_, share_, std::move(all));
  }
  std::string fingerprint() const override { return buckets_->fingerprint(); }

 private:
  std::shared_ptr<const Buckets> buckets_;
  RankShare share_;
  PositionSet consumed_;
};

BucketBatchSampler::BucketBatchSampler(std::vector<std::uint64_t> lengths,
                                       const BucketBatchSamplerOptions& options)
    : share_(options.rank, options.world_size, options.remainder),
      buckets_(std::make_shared<const Buckets>(std::move(lengths), options)) {}

std::size_t BucketBatchSampler::size(std::uint64_t epoch) const {
  return share_.size(positions(epoch));
}

std::size_t BucketBatchSampler::max_batch_size() const {
  return buckets_->max_batch_size();
}

std::size_t BucketBatchSampler::positions(std::uint64_t epoch) const {
  return buckets_->batches(epoch);
}

void BucketBatchSampler::batch(std::uint64_t epoch, std::size_t number,
                               std::vector<std::uint64_t>& out) const {
  buckets_->batch(epoch, number, share_, {}, out);
}

std::shared_ptr<const BatchSampler> BucketBatchSampler::remaining(std::uint64_t epoch,
                                                                  const PositionSet& consumed) const {
  consumed.require_below(positions(epoch));
  return std::make_shared<Rest>(buckets_, share_, consumed);
}

std::string BucketBatchSampler::fingerprint() const {
  return buckets_->fingerprint();
}

}  // namespace leat
