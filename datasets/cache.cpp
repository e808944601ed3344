#include "leat/datasets/cache.h"

#include <utility>

#include "leat/datasets/combinators/packed_sample.h"
#include "leat/datasets/combinators/sample_store.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/spec/combinator_spec.h"

namespace leat {

using namespace detail;

namespace {

std::size_t checked_limit(std::size_t bytes) {
  if (bytes == 0) throw ArgumentError("a cache of 0 bytes keeps nothing");
  return bytes;
}

}  // namespace

Cache::Cache(DatasetRef dataset, std::size_t bytes, CacheOptions options)
    : dataset_(std::move(dataset)),
      seed_(options.seed),
      store_(std::make_shared<SampleStore>(dataset_->size(), checked_limit(bytes))) {}

void Cache::get(std::size_t index, Rng&, SampleWriter& out) const {
  const std::span<const std::byte> kept = store_->find(index);
  store_->count(index, !kept.empty());
  if (!kept.empty()) return unpack(kept, out);
  Rng own(seed_, 0, index);
  dataset_->get(index, own, out);
  if (index >= store_->samples()) return;
  out.check_complete();
  store_->store(index, packed_bytes(out), [&](std::span<std::byte> room) { pack(out, room); });
}

void Cache::prefetch(std::size_t index) const noexcept {
  if (!store_->prefetch(index)) dataset_->prefetch(index);
}

void Cache::read_ahead(std::size_t index) const noexcept {
  if (!store_->has(index)) dataset_->read_ahead(index);
}

std::optional<std::string> Cache::spec() const {
  return cache_spec(*dataset_, store_->limit(), seed_);
}

CacheStats Cache::stats() const {
  const SampleStore::Figures figures = store_->figures();
  return {.hits = figures.hits,
          .misses = figures.misses,
          .stored = figures.stored,
          .bytes = figures.used,
          .limit = store_->limit(),
          .out_of_memory = figures.closed};
}

}  // namespace leat
