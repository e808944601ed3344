// Which samples an epoch visits, in which order. A sampler is a pure function of (epoch, position): it has no
// state to advance, so any position of any epoch can be asked for at once, by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leat {

class Sampler {
 public:
  virtual ~Sampler() = default;

  // Samples per epoch (on this rank).
  virtual std::size_t size() const = 0;

  // The dataset's indices at the positions from `first` on, below size(), of `epoch`.
  virtual void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const = 0;
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

// What a DistributedSampler does where the world size does not divide the number of samples.
enum class Uneven {
  pad,   // ranks get equally many; the first positions are repeated at the end (PyTorch's default)
  drop,  // ranks get equally many; the last positions are left out
  keep,  // every sample once; some ranks get one less. For evaluation, and for training that weights by rows
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
class DistributedSampler final : public Sampler {
 public:
  // Throws ArgumentError where rank is not in [0, world_size).
  DistributedSampler(std::size_t samples, DistributedSamplerOptions options);
  std::size_t size() const override { return size_; }
  void indices(std::uint64_t epoch, std::size_t first, std::span<std::uint64_t> out) const override;

 private:
  std::size_t samples_;
  DistributedSamplerOptions options_;
  std::size_t size_;
};

}  // namespace leat
