// The bad samples of a loader's life, and how a batch goes on without them. Plain code: no threads, no shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/base/row_memory.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_layout.h"

namespace leat::detail {

// Keeps the first kKept bad samples of the loader's life, and counts all.
class BadSampleLog {
 public:
  static constexpr std::size_t kKept = 1000;

  explicit BadSampleLog(BadSampleLimit limit) : limit_(limit) {}

  void begin_epoch() noexcept { in_epoch_ = 0; }
  // `seen`: samples of the epoch so far. Throws TooManyBadSamplesError.
  void add(BadSample sample, std::size_t seen);

  std::size_t count() const noexcept { return count_; }
  const std::vector<BadSample>& kept() const noexcept { return kept_; }

 private:
  BadSampleLimit limit_;
  std::size_t in_epoch_ = 0;
  std::size_t count_ = 0;
  std::vector<BadSample> kept_;
};

// Both work on a batch whose ragged fields are packed and whose bad rows have no elements there.
//
// Closes the gaps that the rows `bad` leave, in every field of a slot at `base` and in `indices`; the number of
// rows left. `bad` is sorted and free of repetitions, as below.
std::size_t remove_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                        std::span<const std::uint32_t> bad);

// Copies the nearest good row over each bad one. Precondition: there is a good one. `memory` is that of the ragged
// rows, as for a SampleWriter: MemoryError where it has none for the copies.
void substitute_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                     std::span<const std::uint32_t> bad, RowMemory* memory = nullptr);

}  // namespace leat::detail
