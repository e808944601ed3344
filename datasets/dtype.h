/// \file
/// Element types of samples and tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "leat/datasets/export.h"

namespace leat {

/// The type of an element.
enum class DType : std::uint8_t {
  u8,       ///< An unsigned integer of 8 bits.
  i8,       ///< A signed integer of 8 bits.
  u16,      ///< An unsigned integer of 16 bits.
  i16,      ///< A signed integer of 16 bits.
  u32,      ///< An unsigned integer of 32 bits.
  i32,      ///< A signed integer of 32 bits.
  u64,      ///< An unsigned integer of 64 bits.
  i64,      ///< A signed integer of 64 bits.
  f16,      ///< IEEE 754 binary16, stored as Half.
  bf16,     ///< bfloat16, the upper half of an f32, stored as BFloat16.
  f32,      ///< IEEE 754 binary32.
  f64,      ///< IEEE 754 binary64.
  boolean,  ///< A byte that is 0 or 1.
};

/// Returns the size of an element, in bytes.
LEAT_EXPORT std::size_t size_of(DType dtype) noexcept;
/// Returns the name: "u8", "f32", "bf16". The name of DType::boolean is "bool".
LEAT_EXPORT std::string_view name_of(DType dtype) noexcept;

/// The bits of an f16. Arithmetic is done in float.
enum class Half : std::uint16_t {};
/// The bits of a bf16. Arithmetic is done in float.
enum class BFloat16 : std::uint16_t {};

/// Rounds to the nearest f16, ties to even.
LEAT_EXPORT Half to_half(float value) noexcept;
/// Rounds to the nearest bf16, ties to even. NaN stays NaN.
LEAT_EXPORT BFloat16 to_bfloat16(float value) noexcept;
/// Returns the exact value.
LEAT_EXPORT float to_float(Half value) noexcept;
/// Returns the exact value.
LEAT_EXPORT float to_float(BFloat16 value) noexcept;

/// Whether each byte is 0 or 1. Other bytes must not be read as `bool`.
LEAT_EXPORT bool are_booleans(std::span<const std::byte> bytes) noexcept;

namespace detail {
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::u8;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::i8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::u16;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::i16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::u32;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::u64;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::f16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
static_assert(sizeof(bool) == 1);
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};
}  // namespace detail

/// The DType of a C++ type, const or not. Ill-formed for types that are not element types.
template <class T>
inline constexpr DType dtype_of = detail::DTypeOf<std::remove_cv_t<T>>::value;

}  // namespace leat
