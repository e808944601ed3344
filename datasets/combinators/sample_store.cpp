#include "leat/datasets/combinators/sample_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

struct alignas(64) SampleStore::Control {
  SharedAtomic<std::uint64_t> used{0}, taken{0};  // bytes of the log
  SharedAtomic<std::uint32_t> closed{0};
};

// One of several counters. A sample's number selects its counter, so that workers seldom write to the same cache
// line.
struct alignas(64) SampleStore::Counts {
  SharedAtomic<std::uint64_t> hits{0}, misses{0};
};

namespace {

constexpr std::size_t kCounts = 32;
constexpr std::size_t kLine = 64, kLinesAhead = 8;  // the same range that InMemoryDataset prefetches
constexpr auto kRelaxed = std::memory_order_relaxed;

// The system provides pages only when they are touched, so this checks in advance whether enough memory is available.
std::size_t affordable(std::size_t bytes) {
  if (bytes > available_memory()) throw memory_error("the samples of a cache", bytes);
  return bytes;
}

}  // namespace

SampleStore::SampleStore(std::size_t samples, std::size_t bytes)
    : samples_(samples),
      limit_(affordable(bytes)),
      index_("the index of a cache",
             checked_add(sizeof(Control) + kCounts * sizeof(Counts),
                         checked_multiply(samples, sizeof(SharedAtomic<std::uint64_t>)))),
      log_("the samples of a cache", bytes, Pages::reserved) {
  std::byte* const memory = index_.bytes().data();
  control_ = new (memory) Control;
  counts_ = new (memory + sizeof(Control)) Counts[kCounts];
  words_ = new (memory + sizeof(Control) + kCounts * sizeof(Counts)) SharedAtomic<std::uint64_t>[samples];
}

std::span<const std::byte> SampleStore::find(std::size_t sample) const {
  if (sample >= samples_) return {};
  const std::uint64_t place = word(sample).load(std::memory_order_acquire);
  if (place == 0) return {};
  if (place > limit_) {
    throw Error(fmt::format("the word of sample {} of a cache of {} bytes was overwritten: {}", sample,
                            limit_, place));
  }
  return log_.bytes().first(limit_).subspan(place - 1);
}

bool SampleStore::prefetch(std::size_t sample) const noexcept {
  if (sample >= samples_) return false;
  const std::uint64_t place = word(sample).load(std::memory_order_acquire);
  if (place == 0 || place > limit_) return false;
  const std::byte* const begin = log_.bytes().data() + (place - 1);
  const std::size_t ahead = std::min(limit_ - (place - 1), kLinesAhead * kLine);
  for (std::size_t offset = 0; offset < ahead; offset += kLine) __builtin_prefetch(begin + offset);
  return true;
}

std::span<std::byte> SampleStore::reserve(std::size_t bytes) {
  if (bytes > limit_ || control_->closed.load(kRelaxed) != 0) return {};
  const std::size_t room = align_up(bytes, kRoomAlignment);
  std::uint64_t used = control_->used.load(kRelaxed);
  do {
    if (used > limit_ || room > limit_ - used) return {};
  } while (!control_->used.compare_exchange_strong(used, used + room, kRelaxed));
  if (!take_pages(used + room)) return {};
  return log_.bytes().subspan(used, bytes);
}

// Takes all pages from `taken` on, so that pages that an ended writer had not taken are included.
bool SampleStore::take_pages(std::size_t end) {
  std::uint64_t taken = control_->taken.load(std::memory_order_acquire);
  if (end <= taken) return true;
  const std::size_t wanted = std::min(align_up(end, kTakenAtOnce), log_.bytes().size());
  const Extent missing{taken, wanted - taken};
  if (!log_.try_take({&missing, 1})) {
    control_->closed.store(1, kRelaxed);
    return false;
  }
  while (taken < wanted &&
         !control_->taken.compare_exchange_strong(taken, wanted, std::memory_order_acq_rel)) {
  }
  return true;
}

void SampleStore::publish(std::size_t sample, std::span<const std::byte> room) noexcept {
  const auto place = static_cast<std::uint64_t>(room.data() - log_.bytes().data()) + 1;
  std::uint64_t nowhere = 0;
  word(sample).compare_exchange_strong(nowhere, place, std::memory_order_release);
}

void SampleStore::count(std::size_t sample, bool hit) noexcept {
  Counts& counts = counts_[sample % kCounts];
  (hit ? counts.hits : counts.misses).fetch_add(1, kRelaxed);
}

SampleStore::Figures SampleStore::figures() const noexcept {
  Figures figures{.used = control_->used.load(kRelaxed), .closed = control_->closed.load(kRelaxed) != 0};
  for (std::size_t i = 0; i < kCounts; ++i) {
    figures.hits += counts_[i].hits.load(kRelaxed);
    figures.misses += counts_[i].misses.load(kRelaxed);
  }
  for (std::size_t sample = 0; sample < samples_; ++sample) {
    if (word(sample).load(kRelaxed) != 0) ++figures.stored;
  }
  return figures;
}

}  // namespace leat::detail
