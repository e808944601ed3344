// Which samples a worker announces to the dataset before anybody loads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/dataset.h"

namespace leat::detail {

// Of one worker; a plain class. Looks ahead in the batch of which the worker holds a chunk, beyond that chunk too: a
// neighbor that has not come so far, or comes to it later, is served as well. Two workers may so announce one row,
// which costs little where it has an effect at all, and sharing what was announced would cost more.
class ReadAhead {
 public:
  static constexpr std::size_t kRows = 32;

  explicit ReadAhead(const Dataset& dataset) : dataset_(dataset.reads_ahead() ? &dataset : nullptr) {}

  // Row `row` of batch `generation` is loaded next; `indices` are those of all rows of the batch. Announces it and the
  // kRows behind it, each row of the batch once.
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
  const Dataset* dataset_;  // null: it does not read ahead
  std::uint64_t generation_ = 0;
  std::size_t announced_ = 0;  // rows below
};

}  // namespace leat::detail
