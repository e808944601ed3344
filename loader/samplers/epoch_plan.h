// EpochPlan: the division of an epoch's samples into batches of equal size.
#pragma once

#include <algorithm>
#include <cstddef>

namespace leat::detail {

struct EpochPlan {
  std::size_t samples = 0;
  std::size_t batch_size = 1;
  bool drop_last = false;

  std::size_t batches() const noexcept {
    return samples / batch_size + (!drop_last && samples % batch_size != 0 ? 1 : 0);
  }
  std::size_t first(std::size_t batch) const noexcept {
    return batch * batch_size;
  }  // position of its first sample
  std::size_t rows(std::size_t batch) const noexcept { return std::min(batch_size, samples - first(batch)); }
};

}  // namespace leat::detail
