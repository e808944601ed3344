// Takes back the slot of a batch that is no longer needed.
#pragma once

#include <cstddef>

namespace leat::detail {

/// Thread-safe.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  virtual void release(std::size_t slot) noexcept = 0;
};

}  // namespace leat::detail
