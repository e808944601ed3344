// Working memory that is reused from image to image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::detail {

// From this number of bytes on, memory is freed if a quarter of it would suffice.
inline constexpr std::size_t kMuchScratch = std::size_t{32} << 20;

// Ensures that `bytes` has at least `size` bytes. Their values are unspecified. Keeps the existing memory or frees
// it, see kMuchScratch.
inline void reserve_scratch(std::vector<std::uint8_t>& bytes, std::size_t size) {
  // An assignment from braces would keep the memory.
  if (bytes.capacity() > kMuchScratch && size < bytes.capacity() / 4) std::vector<std::uint8_t>().swap(bytes);
  if (size > bytes.size()) bytes.resize(size);
}

}  // namespace leat::detail
