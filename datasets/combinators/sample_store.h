// Bytes of samples in memory that processes share. Each sample is written once and never changed. Cache keeps its
// samples here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"

namespace leat::detail {

// Thread rules: all threads of all processes that have inherited the store may call everything at any time, and any
// of them may end at any time. There are no locks, and nothing waits.
//
// 1. Each sample has a word: 0, or the position of its bytes in the log, plus 1. A word changes once, by a
//    compare-and-swap with release, when all bytes are written; a reader loads it with acquire. So a reader that sees
//    a position sees the whole sample, and a writer that ends before the swap only leaves room that nobody uses.
// 2. Room is given out from the front of the log, once, by a compare-and-swap on `used`: no two writers share a byte.
//    `used` counts the rooms of all stored samples, of writers that ended, and of writers that came second.
// 3. The part [0, taken) of the log has its pages, so that touching it causes no SIGBUS; `taken` only grows. Pages
//    are taken before the room that needs them is touched.
// 4. If pages are refused, the store is closed: it keeps what it has and takes no more.
class SampleStore {
 public:
  static constexpr std::size_t kRoomAlignment = 64;        // a sample's room is rounded up to this
  static constexpr std::size_t kTakenAtOnce = 4ULL << 20;  // bytes

  // Makes room for `bytes` bytes of samples 0 to `samples` - 1. The samples' words need another 8 bytes per sample,
  // which are taken at once. Throws MemoryError if there is not enough memory.
  SampleStore(std::size_t samples, std::size_t bytes);

  std::size_t samples() const noexcept { return samples_; }
  std::size_t limit() const noexcept { return limit_; }

  // Returns the bytes from the sample's first byte to the end of the log, or an empty span if the sample is not
  // stored. The span stays valid. Throws Error if the sample's word was overwritten with a value that is not a
  // position.
  std::span<const std::byte> find(std::size_t sample) const;
  bool has(std::size_t sample) const noexcept {
    return sample < samples_ && word(sample).load(std::memory_order_relaxed) != 0;
  }
  // A hint: prefetches the beginning of the sample's bytes. Returns false if the sample is not stored.
  bool prefetch(std::size_t sample) const noexcept;

  // Stores what `write(room)` writes to a room of `bytes` bytes. Does nothing if the bytes do not fit, the store is
  // closed, or the sample is stored already.
  template <class Write>
  void store(std::size_t sample, std::size_t bytes, Write&& write) {
    if (word(sample).load(std::memory_order_relaxed) != 0) return;
    const std::span<std::byte> room = reserve(bytes);
    if (room.empty()) return;
    write(room);
    publish(sample, room);
  }

  // Counts one get() of a sample, as a hit or as a miss.
  void count(std::size_t sample, bool hit) noexcept;

  struct Figures {
    std::uint64_t hits = 0, misses = 0;
    std::size_t stored = 0;  // samples
    std::size_t used = 0;    // bytes
    bool closed = false;
  };
  Figures figures() const noexcept;  // reads every word

 private:
  struct Control;
  struct Counts;

  SharedAtomic<std::uint64_t>& word(std::size_t sample) const noexcept { return words_[sample]; }
  std::span<std::byte> reserve(std::size_t bytes);  // empty if there is no room
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
