// Size arithmetic that throws ArgumentError instead of wrapping around: sizes come from files and options.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/errors.h"

namespace leat::detail {

inline std::size_t checked_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw ArgumentError("a size exceeds 64 bits");
  return product;
}

inline std::size_t checked_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw ArgumentError("a size exceeds 64 bits");
  return sum;
}

// The number of elements of a shape; 1 for a scalar (no dimensions).
inline std::size_t element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count = checked_multiply(count, extent);
  return count;
}

// `size` rounded up to a multiple of `alignment`, a power of two.
inline std::size_t align_up(std::size_t size, std::size_t alignment) {
  return checked_add(size, alignment - 1) & ~(alignment - 1);
}

// ceil(a / b) for b > 0.
inline std::size_t divide_up(std::size_t a, std::size_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace leat::detail
