// Conversions between the 16-bit floating-point types and f32. They are inline and free of branches, so that the
// compiler can vectorize loops over them. They give the same bits as to_float(), to_half() and to_bfloat16() of
// datasets/dtype.h, except that a NaN's payload may differ.
#pragma once

#include <bit>
#include <cstdint>

#include "leat/datasets/dtype.h"

namespace leat::detail {

inline float widen(BFloat16 value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// The exponent is rebased by multiplying with 2^112. The product is exact, and also gives subnormals their value.
inline float widen(Half value) noexcept {
  const auto bits = static_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = (bits & 0x7fffU) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t special = magnitude >= 0x0f800000U ? 0x7f800000U : 0U;  // infinities and NaNs
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | ((bits & 0x8000U) << 16));
}

inline BFloat16 narrow_to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40U;
  const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<BFloat16>(nan ? quiet : rounded);
}

// Normal results are rounded with integer arithmetic, subnormal ones by adding a constant whose last place is the
// result's.
inline Half narrow_to_half(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  std::uint32_t result = magnitude < 0x38800000U ? subnormal : normal;
  result = magnitude >= 0x477ff000U ? 0x7c00U : result;  // 65520 and above round to infinity
  result = magnitude > 0x7f800000U ? 0x7e00U : result;
  return static_cast<Half>(sign | result);
}

}  // namespace leat::detail
