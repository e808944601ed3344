#include "leat/transfer/prefetch/pinned_memory.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace leat::detail {

PinnedMemory::PinnedMemory(Device& device, std::vector<std::span<std::byte>> parts)
    : parts_(std::move(parts)) {
  std::erase_if(parts_, [](std::span<std::byte> part) { return part.empty(); });
  std::ranges::sort(parts_, std::less<>(), [](std::span<std::byte> part) { return part.data(); });
  for (const std::span<std::byte> part : parts_) locks_.push_back(device.pin(part));
}

bool PinnedMemory::holds(std::span<const std::byte> bytes) const noexcept {
  const auto end_of = [](std::span<std::byte> part) { return part.data() + part.size(); };
  // The first part that ends behind the first byte.
  const auto part = std::ranges::upper_bound(parts_, bytes.data(), std::less<const void*>(), end_of);
  const std::less_equal<const void*> before;
  return part != parts_.end() && before(part->data(), bytes.data()) &&
         before(bytes.data() + bytes.size(), end_of(*part));
}

}  // namespace leat::detail
