// What becomes of samples that cannot be loaded. Plain code: no threads, no shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/row_memory.h"
#include "leat/loader/errors.h"
#include "leat/loader/slots/batch_layout.h"

namespace leat {

enum class OnBadSample {
  raise,  // next() throws SampleError in the place of the batch
  // With skip and substitute, next() passes over a batch that has no good row; size() and LoaderState::batches count it.
  skip,        // the row is left out: the batch is shorter by one
  substitute,  // the row is a copy of the nearest good row of its batch, the one before if there is one
};

// A sample whose get() threw, or that ended two workers.
struct BadSample {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;  // its number in the epoch
  SampleError::Origin origin;
};

// How many bad samples an epoch may have before the loader gives up: `allowance` always, beyond that the share
// `rate` of the samples that were delivered or skipped so far.
struct BadSampleLimit {
  std::size_t allowance = 16;
  double rate = 0.01;
};

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

}  // namespace leat
