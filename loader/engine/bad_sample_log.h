// The log of a loader's bad samples, and the functions that remove or replace their rows in a batch. Plain code: no
// threads, no shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/base/row_memory.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_layout.h"

namespace leat::detail {

// Keeps the first kKept bad samples of the loader's life, and counts all of them.
class BadSampleLog {
 public:
  static constexpr std::size_t kKept = 1000;

  explicit BadSampleLog(BadSampleLimit limit) : limit_(limit) {}

  void begin_epoch() noexcept { in_epoch_ = 0; }
  // Adds a bad sample of the current epoch, in which `seen` samples were planned so far. Throws
  // TooManyBadSamplesError if the limit is exceeded.
  void add(BadSample sample, std::size_t seen);

  std::size_t count() const noexcept { return count_; }
  const std::vector<BadSample>& kept() const noexcept { return kept_; }

 private:
  BadSampleLimit limit_;
  std::size_t in_epoch_ = 0;
  std::size_t count_ = 0;
  std::vector<BadSample> kept_;
};

// Both functions below work on a batch whose ragged fields are packed and whose bad rows have no elements in these
// fields. `bad` holds the numbers of the bad rows, ascending and without repetitions.
//
// Removes the bad rows from every field of the slot at `base` and from `indices`, and closes the gaps. Returns the
// number of rows left.
std::size_t remove_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                        std::span<const std::uint32_t> bad);

// Copies a good row over each bad row: the nearest good row before it or, if there is none, the first good row.
// Precondition: there is a good row. `memory` provides the memory of the ragged rows, as for a SampleWriter. Throws
// MemoryError if there is not enough of it for the copies.
void substitute_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                     std::span<const std::uint32_t> bad, RowMemory* memory = nullptr);

}  // namespace leat::detail
