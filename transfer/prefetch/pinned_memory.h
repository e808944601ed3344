// The page-locked memory of a source of batches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::detail {

// Page-locks parts of memory, which do not overlap, and tells what lies in them. Immutable.
class PinnedMemory {
 public:
  PinnedMemory() = default;  // nothing is locked
  // Locks all parts or, if it throws DeviceError, none.
  PinnedMemory(Device& device, std::vector<std::span<std::byte>> parts);

  // Tells whether all of these bytes, of which there is at least one, lie in one part.
  bool holds(std::span<const std::byte> bytes) const noexcept;

 private:
  std::vector<std::span<std::byte>> parts_;  // by address
  std::vector<PinnedRegion> locks_;
};

}  // namespace leat::detail
