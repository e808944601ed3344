// Bytes of samples in memory that processes share, each written once and never again: what a Cache keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"

namespace leat::detail {

// Thread rules: everything may be called by all threads of all processes that have inherited the store, at any moment,
// and any of them may end at any moment. There are no locks and no waiting.
//
// 1. Each sample has a word: 0, or where its bytes begin in the log, plus 1. A word changes once, by a compare-and-swap
//    with release, when all bytes are there; a reader acquires it. So who sees a place sees the sample, and who ends in
//    between leaves nothing but room that nobody uses.
// 2. Room is given out from the front of the log, once, by a compare-and-swap on `used`: no two writers have a byte in
//    common. used = the rooms of all samples stored, of writers that ended, and of those that came second.
// 3. Of the log, [0, taken) has its pages, so that touching it is no SIGBUS; `taken` only grows. Pages are taken before
//    the room that needs them is touched.
// 4. Where pages are refused, the store is closed: it keeps what it has and takes no more.
class SampleStore {
 public:
  static constexpr std::size_t kRoomAlignment = 64;        // a sample's room is rounded up to it
  static constexpr std::size_t kTakenAtOnce = 4ULL << 20;  // bytes

  // Room for `bytes` of the bytes of samples 0 to `samples` - 1; 8 bytes of each sample's word come on top, and are
  // taken at once. Throws MemoryError where there is not so much memory.
  SampleStore(std::size_t samples, std::size_t bytes);

  std::size_t samples() const noexcept { return samples_; }
  std::size_t limit() const noexcept { return limit_; }

  // From the sample's first byte to the end of the log; empty where it is not stored. Stays valid. Throws Error where
  // something that is no sample's place was written over its word.
  std::span<const std::byte> find(std::size_t sample) const;
  bool has(std::size_t sample) const noexcept {
    return sample < samples_ && word(sample).load(std::memory_order_relaxed) != 0;
  }
  // A hint: brings near where the sample's bytes begin. False where it is not stored.
  bool prefetch(std::size_t sample) const noexcept;

  // Stores what `write(room)` leaves in `bytes` of room. Nothing happens where they do not fit, the store is closed, or
  // the sample is stored already.
  template <class Write>
  void store(std::size_t sample, std::size_t bytes, Write&& write) {
    if (word(sample).load(std::memory_order_relaxed) != 0) return;
    const std::span<std::byte> room = reserve(bytes);
    if (room.empty()) return;
    write(room);
    publish(sample, room);
  }

  // Counts a get() of a sample that was there, or was not.
  void count(std::size_t sample, bool hit) noexcept;

  struct Figures {
    std::uint64_t hits = 0, misses = 0;
    std::size_t stored = 0;  // samples
    std::size_t used = 0;    // bytes
    bool closed = false;
  };
  Figures figures() const noexcept;  // looks at every word

 private:
  struct Control;
  struct Counts;

  SharedAtomic<std::uint64_t>& word(std::size_t sample) const noexcept { return words_[sample]; }
  std::span<std::byte> reserve(std::size_t bytes);  // empty: there is none
  bool take_pages(std::size_t end);
  void publish(std::size_t sample, std::span<const std::byte> room) noexcept;

  std::size_t samples_;
  std::size_t limit_;
  SharedMemory index_;  // control, counts, words
  SharedMemory log_;
  Control* control_;
  Counts* counts_;
  SharedAtomic<std::uint64_t>* words_;
};

}  // namespace leat::detail
