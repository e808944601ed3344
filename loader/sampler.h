/// \file
/// Samplers, which say which samples an epoch visits, in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "leat/datasets/export.h"
#include "leat/loader/position_set.h"
#include "leat/loader/rank_share.h"

namespace leat {

/// Says which samples an epoch visits, in which order: a pure function of (epoch, position), so that any thread can ask
/// for any position of any epoch.
class LEAT_EXPORT Sampler : public std::enable_shared_from_this<Sampler> {
 public:
  virtual ~Sampler() = default;

  /// Returns the number of samples per epoch, on this rank.
  virtual std::size_t size() const = 0;

  /// Fills `out` with the dataset's indices at the positions of `epoch` from `first` on, which are below size().
  virtual void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const = 0;

  /// Returns the number of ranks that share one order and visit disjoint parts of it, this one included.
  virtual std::size_t world_size() const { return 1; }
  /// Returns this rank, in [0, world_size()).
  virtual std::size_t rank() const { return 0; }
  /// Returns the length of the order that the ranks share. Override it if world_size() may be above 1.
  virtual std::size_t positions() const { return size(); }

  /// Returns what this rank has left of `epoch` after all ranks together consumed the positions `consumed` of the
  /// shared order, which is this sampler's own if it is itself the rest of another one. The positions that remain are
  /// counted from 0 again. The result is valid for `epoch` only: in another epoch it would leave out samples that
  /// nobody has seen. Throws ArgumentError if a consumed position is not below positions().
  ///
  /// The default keeps this sampler alive and skips the consumed positions. It throws ArgumentError if no shared_ptr
  /// holds the sampler, or if world_size() is above 1: override it then.
  virtual std::shared_ptr<const Sampler> remaining(std::uint64_t epoch, const PositionSet& consumed) const;

  /// Returns one line that says which order the ranks share: kind, number of samples, seed, options. It does not depend
  /// on the rank, the world size or the treatment of a remainder. DataLoader::restore() refuses a state whose sampler
  /// had another fingerprint.
  ///
  /// The default consists of the number of positions and a digest of up to 64 indices of epoch 0. It cannot see the
  /// shared order if world_size() is above 1: override it then.
  virtual std::string fingerprint() const;
};

/// Visits the samples 0, 1, 2, ...
class LEAT_EXPORT SequentialSampler final : public Sampler {
 public:
  /// Visits this many samples.
  explicit SequentialSampler(std::size_t samples) : samples_(samples) {}
  std::size_t size() const override { return samples_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::string fingerprint() const override;

 private:
  std::size_t samples_;
};

/// Visits every sample once per epoch, in a random order that depends on (seed, epoch) alone. Takes O(1) memory.
class LEAT_EXPORT RandomSampler final : public Sampler {
 public:
  /// Visits this many samples.
  RandomSampler(std::size_t samples, std::uint64_t seed) : samples_(samples), seed_(seed) {}
  std::size_t size() const override { return samples_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::string fingerprint() const override;

 private:
  std::size_t samples_;
  std::uint64_t seed_;
};

/// Options of a DistributedSampler.
struct LEAT_EXPORT DistributedSamplerOptions {
  int rank = 0;            ///< this rank, in [0, world_size)
  int world_size = 1;      ///< number of ranks
  bool shuffle = true;     ///< a new random order each epoch; if not, the samples ascend
  std::uint64_t seed = 0;  ///< of the order
  /// What becomes of samples that cannot be divided evenly.
  RemainderPolicy remainder = RemainderPolicy::pad;
};

/// Visits the positions r, r + world_size, r + 2 world_size, ... of one order that all ranks share, on rank r. So the
/// k-th batches of all ranks together are the k-th batch of a single rank with the sum of their batch sizes.
///
/// remaining() divides the positions that were not consumed in the same way. The samplers that consumed the others may
/// differ in rank and world size, since the order depends on neither; if they do not, the rest is that of an epoch
/// without a break. Padding repeats samples from the start of the epoch.
class LEAT_EXPORT DistributedSampler final : public Sampler {
 public:
  /// Divides this many samples. Throws ArgumentError if the rank is not in [0, world_size).
  DistributedSampler(std::size_t samples, DistributedSamplerOptions options);
  std::size_t size() const override { return share_.size(positions()); }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::size_t world_size() const override { return share_.world_size(); }
  std::size_t rank() const override { return share_.rank(); }
  std::size_t positions() const override { return samples_ - consumed_.size(); }
  std::shared_ptr<const Sampler> remaining(std::uint64_t epoch, const PositionSet& consumed) const override;
  std::string fingerprint() const override;

 private:
  std::size_t samples_;
  RankShare share_;
  bool shuffle_;
  std::uint64_t seed_;
  PositionSet consumed_;  // of the samples_ positions of the whole order
};

}  // namespace leat
