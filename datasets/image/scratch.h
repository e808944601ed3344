// Memory that one image after the other uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::detail {

// From so many bytes on, memory is given back where a quarter of it would do.
inline constexpr std::size_t kMuchScratch = std::size_t{32} << 20;

// There are at least `size` bytes afterwards, of unspecified values. Keeps the memory that there is, or gives it
// back, see above.
inline void reserve_scratch(std::vector<std::uint8_t>& bytes, std::size_t size) {
  // An assignment from braces would keep the memory.
  if (bytes.capacity() > kMuchScratch && size < bytes.capacity() / 4) std::vector<std::uint8_t>().swap(bytes);
  if (size > bytes.size()) bytes.resize(size);
}

}  // namespace leat::detail
