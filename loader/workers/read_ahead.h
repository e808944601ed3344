// ReadAhead: announces samples to the dataset (Dataset::read_ahead()) before a worker loads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/dataset.h"

namespace leat::detail {

// A plain class; each worker has its own. Announces rows of the batch of which the worker holds a chunk, also rows
// beyond that chunk, which helps the workers that will load them. So two workers may announce the same row. That
// costs little or nothing, while sharing what was announced would cost more.
class ReadAhead {
 public:
  static constexpr std::size_t kRows = 32;

  explicit ReadAhead(const Dataset& dataset) : dataset_(dataset.reads_ahead() ? &dataset : nullptr) {}

  // Call it before row `row` of batch `generation` is loaded. `indices` holds the indices of all rows of the batch.
  // Announces this row and the kRows rows after it, except rows of this batch that were announced before.
  void before(std::uint64_t generation, std::span<const std::uint64_t> indices, std::size_t row) noexcept {
    if (dataset_ == nullptr) return;
    if (generation != generation_) announced_ = 0;
    generation_ = generation;
    const std::size_t end = std::min(indices.size(), row + 1 + kRows);
    for (std::size_t next = std::max(announced_, row); next < end; ++next)
      dataset_->read_ahead(indices[next]);
    announced_ = std::max(announced_, end);
  }

 private:
  const Dataset* dataset_;  // null if the dataset does not read ahead
  std::uint64_t generation_ = 0;
  std::size_t announced_ = 0;  // rows below this one need no announcement
};

}  // namespace leat::detail
