/// \file
/// A cache of samples in memory that all workers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"

namespace leat {

namespace detail {
class SampleStore;
}

/// How a Cache loads samples.
struct LEAT_EXPORT CacheOptions {
  std::uint64_t seed = 0;  ///< Seed of the generators that the dataset is given.
};

/// How full a Cache is, and how often it was used, summed over all processes.
struct LEAT_EXPORT CacheStats {
  std::uint64_t hits = 0;    ///< Number of calls of get() that were answered from memory.
  std::uint64_t misses = 0;  ///< Number of calls of get() that loaded the sample from the dataset.
  std::size_t stored = 0;    ///< Number of samples in memory.
  std::size_t bytes = 0;     ///< Bytes in use, including room that was lost.
  std::size_t limit = 0;     ///< The maximum of `bytes`.
  /// Whether the system refused memory before the limit was reached. If so, nothing more is stored.
  bool out_of_memory = false;
};

/// Keeps the samples of a dataset in memory. A sample is stored the first time that a worker loads it, if there is
/// room. The first epoch stores decoded samples with all their fields, and later epochs copy them to the batch. There
/// is no eviction: if the dataset is larger than the limit, the samples that came first stay, and the others are
/// loaded each time.
///
/// A kept sample is the same in each epoch. Therefore get() gives the dataset a generator that depends only on
/// (CacheOptions::seed, index), whether the sample is kept or not. Delivered bytes do not depend on the limit, the
/// workers, or the order of loading. Put the cache before the augmentation, in a Map or MapInPlace:
///
///     const Cache cached(decoded, 8'000'000'000);
///     const MapInPlace train(cached, augment);
///
/// Processes that are forked after the construction share the memory, so create the cache before the loader. Pages
/// are allocated when they are needed, and freed when the last of the processes ends. If a worker dies while it
/// stores a sample, only the room for that sample is lost.
///
/// Thread-safe if the dataset is. The samples must not change. Only samples below the size that the dataset has at
/// the construction are kept.
class LEAT_EXPORT Cache final : public Dataset {
 public:
  /// Keeps up to `bytes` bytes of samples. The size of each sample is rounded up to 64 bytes, and 8 bytes for each
  /// sample of the dataset are added. Throws ArgumentError if `bytes` is 0, and MemoryError if less memory is
  /// available.
  Cache(DatasetRef dataset, std::size_t bytes, CacheOptions options = {});

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }
  std::optional<std::string> spec() const override;

  /// Returns the figures of all processes together. Takes time proportional to the number of samples.
  CacheStats stats() const;

 private:
  DatasetRef dataset_;
  std::uint64_t seed_;
  std::shared_ptr<detail::SampleStore> store_;  // its state is in memory shared with other processes
};

}  // namespace leat
