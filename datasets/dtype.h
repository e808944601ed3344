// Element types of samples and tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace leat {

// bf16 is bfloat16 (the upper half of an f32), f16 is IEEE 754 binary16. Both are stored as 16-bit words. A boolean is a
// byte, 0 or 1, and nothing else.
enum class DType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, boolean };

std::size_t size_of(DType dtype) noexcept;       // in bytes
std::string_view name_of(DType dtype) noexcept;  // "u8", "f32", "bool", ...

// Storage of the 16-bit floating-point types: bits only; arithmetic is done in float.
enum class Half : std::uint16_t {};
enum class BFloat16 : std::uint16_t {};

Half to_half(float value) noexcept;          // rounds to nearest, ties to even
BFloat16 to_bfloat16(float value) noexcept;  // rounds to nearest, ties to even; NaN stays NaN
float to_float(Half value) noexcept;
float to_float(BFloat16 value) noexcept;

// Whether each byte is a boolean. Bytes from outside are not to be read as `bool` before it was asked.
bool are_booleans(std::span<const std::byte> bytes) noexcept;

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

// The DType of a C++ element type (const or not); ill-formed for a type that is none.
template <class T>
inline constexpr DType dtype_of = detail::DTypeOf<std::remove_cv_t<T>>::value;

}  // namespace leat
