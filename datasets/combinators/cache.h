// Samples that were had once, kept in memory that all workers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "leat/datasets/combinators/sample_store.h"
#include "leat/datasets/dataset.h"

namespace leat {

struct CacheOptions {
  std::uint64_t seed = 0;  // of what is random in the dataset, all the same
};

struct CacheStats {
  std::uint64_t hits = 0;    // calls of get() that were answered from memory
  std::uint64_t misses = 0;  // and those that asked the dataset
  std::size_t stored = 0;    // samples in memory
  std::size_t bytes = 0;     // that they take, with what was lost
  std::size_t limit = 0;     // of that
  // The system had no more pages before the limit was reached: nothing more is stored.
  bool out_of_memory = false;
};

// The dataset's samples, each kept as it was when a worker first had it, as long as there is room. What is kept is a
// decoded sample, all fields, which the second epoch copies to its batch. There is no eviction: of a dataset that is
// larger than the limit, the samples that came first stay, and the others are had from the dataset each time.
//
// What is kept cannot be different each time, so get() gives the dataset a generator that depends on (options.seed,
// index) alone and not on the epoch, whether the sample is kept or not: delivered bytes do not depend on the limit, on
// workers, or on who came first. So cache what comes before the augmentation, and let Map or MapInPlace do that:
//
//   const Cache cached(decoded, 8'000'000'000);
//   const MapInPlace train(cached, augment);
//
// The memory is shared by the processes forked after this was made; so make it before the loader. Its pages are taken as
// they are needed, and given back when the last of the processes is gone. A worker that dies while it stores a sample
// loses that sample's room, and nothing else. With thread workers as thread-safe as the dataset, which outlives this.
// Samples do not change while the dataset lives; those beyond the size that it has at first are not kept.
class Cache final : public Dataset {
 public:
  // `bytes` bounds the samples, each rounded up to 64 bytes; 8 bytes for each sample of the dataset come on top. Throws
  // ArgumentError where it is 0, MemoryError where there is not so much.
  Cache(const Dataset& dataset, std::size_t bytes, CacheOptions options = {});
  Cache(const Dataset&& temporary, std::size_t bytes, CacheOptions options = {}) = delete;

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;  // leaves `rng` alone
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }

  // Of all processes together. Looks at every sample's word: for once in a while.
  CacheStats stats() const;

 private:
  const Dataset* dataset_;
  std::uint64_t seed_;
  mutable SampleStore store_;  // its state is shared with other processes anyway
};

}  // namespace leat
