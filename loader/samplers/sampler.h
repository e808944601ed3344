// Which samples an epoch visits, in which order. A sampler is a pure function of (epoch, position): it has no
// state to advance, so any position of any epoch can be asked for at once, by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "loader/samplers/rank_share.h"

namespace leat {

class Sampler : public std::enable_shared_from_this<Sampler> {
 public:
  virtual ~Sampler() = default;

  // Samples per epoch (on this rank).
  virtual std::size_t size() const = 0;

  // The dataset's indices at the positions from `first` on, below size(), of `epoch`.
  virtual void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const = 0;

  // The ranks that share one order and visit disjoint parts of it, this one included.
  virtual std::size_t world_size() const { return 1; }

  // For resuming: what this rank has left of `epoch` after all ranks together consumed the first `consumed`
  // positions of the shared order (nothing where it is shorter). Positions count from 0 again. To be asked
  // about `epoch` alone: of another one it would leave out samples that nobody has seen.
  //
  // The default keeps this sampler alive and reads on behind `consumed`, so it throws ArgumentError where no
  // shared_ptr holds the sampler, and where world_size() is above 1: such a sampler overrides it.
  virtual std::shared_ptr<const Sampler> remaining(std::uint64_t epoch, std::size_t consumed) const;
};

// 0, 1, 2, ...
class SequentialSampler final : public Sampler {
 public:
  explicit SequentialSampler(std::size_t samples) : samples_(samples) {}
  std::size_t size() const override { return samples_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;

 private:
  std::size_t samples_;
};

// Every index once per epoch, in an order that depends on (seed, epoch) alone; O(1) memory, see
// permutation.h.
class RandomSampler final : public Sampler {
 public:
  RandomSampler(std::size_t samples, std::uint64_t seed) : samples_(samples), seed_(seed) {}
  std::size_t size() const override { return samples_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;

 private:
  std::size_t samples_;
  std::uint64_t seed_;
};

struct DistributedSamplerOptions {
  int rank = 0;
  int world_size = 1;
  bool shuffle = true;
  std::uint64_t seed = 0;
  Uneven uneven = Uneven::pad;
};

// Rank r takes the positions r, r + world_size, r + 2 world_size, ... of one order that all ranks share. So
// the k-th batches of all ranks together are the k-th batch of one rank with the summed batch size.
//
// remaining(): the same from position `consumed` on. The samplers that consumed these positions and the one
// that is asked may differ in rank and world size, since the order depends on neither; with the same ones,
// the rest is that of the epoch that went on without a break. Padding repeats from the start of the epoch.
class DistributedSampler final : public Sampler {
 public:
  // Throws ArgumentError where rank is not in [0, world_size).
  DistributedSampler(std::size_t samples, DistributedSamplerOptions options);
  std::size_t size() const override { return share_.size(samples_ - consumed_); }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;
  std::size_t world_size() const override { return share_.world_size(); }
  std::shared_ptr<const Sampler> remaining(std::uint64_t epoch, std::size_t consumed) const override;

 private:
  std::size_t samples_;
  RankShare share_;
  bool shuffle_;
  std::uint64_t seed_;
  std::size_t consumed_ = 0;  // positions of the shared order, at most samples_
};

}  // namespace leat
