/// \file
/// A cache of samples, in memory that all workers share.
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

/// How full a Cache is, and how often it was used, by all processes together.
struct LEAT_EXPORT CacheStats {
  std::uint64_t hits = 0;    ///< Calls of get() that were answered from memory.
  std::uint64_t misses = 0;  ///< Calls of get() that loaded the sample from the dataset.
  std::size_t stored = 0;    ///< Samples in memory.
  std::size_t bytes = 0;     ///< What is taken, room that was lost included.
  std::size_t limit = 0;     ///< The greatest value of `bytes`.
  /// Whether the system refused memory before the limit was reached. If so, nothing more is stored.
  bool out_of_memory = false;
};

/// Keeps each sample of a dataset in memory from the first time that a worker loads it, as long as there is room. The
/// first epoch stores decoded samples with all their fields, and later ones copy them to the batch. There is no
/// eviction: if the dataset is larger than the limit, the samples that came first stay, and the others are loaded each
/// time.
///
/// A kept sample is the same in each epoch. So get() gives the dataset a generator that depends on (CacheOptions::seed,
/// index) alone, whether the sample is kept or not: delivered bytes do not depend on the limit, the workers, or the
/// order of loading. Put the cache before the augmentation, in a Map or MapInPlace:
///
///     const Cache cached(decoded, 8'000'000'000);
///     const MapInPlace train(cached, augment);
///
/// Processes that are forked after the construction share the memory, so make the cache before the loader. Pages are
/// taken as they are needed, and given back when the last of the processes ends. A worker that dies while it stores a
/// sample loses the room for that sample, and nothing else.
///
/// Thread-safe if the dataset is. The samples must not change. Samples beyond the size that the dataset has at the
/// construction are not kept.
class LEAT_EXPORT Cache final : public Dataset {
 public:
  /// Keeps up to `bytes` of samples, each rounded up to 64 bytes; 8 bytes for each sample of the dataset are added.
  /// Throws ArgumentError if `bytes` is 0, MemoryError if there is less memory.
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

  /// Returns figures of all processes together. Takes time in proportion to the number of samples.
  CacheStats stats() const;

 private:
  DatasetRef dataset_;
  std::uint64_t seed_;
  std::shared_ptr<detail::SampleStore> store_;  // its state is shared with other processes anyway
};

}  // namespace leat
