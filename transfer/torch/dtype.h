/// \file
/// leat's dtypes and LibTorch's.
#pragma once

#include <c10/core/ScalarType.h>
#include <torch/version.h>

#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/errors.h"

namespace leat::torch {

/// Returns LibTorch's dtype with the same bits; nullopt for u16, u32 and u64, on which LibTorch does not compute.
inline std::optional<::at::ScalarType> scalar_type_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::u8:
      return ::at::kByte;
    case DType::i8:
      return ::at::kChar;
    case DType::i16:
      return ::at::kShort;
    case DType::i32:
      return ::at::kInt;
    case DType::i64:
      return ::at::kLong;
    case DType::f16:
      return ::at::kHalf;
    case DType::bf16:
      return ::at::kBFloat16;
    case DType::f32:
      return ::at::kFloat;
    case DType::f64:
      return ::at::kDouble;
    case DType::boolean:
      return ::at::kBool;
    case DType::u16:
    case DType::u32:
    case DType::u64:
      break;
  }
  return std::nullopt;
}

/// Returns LibTorch's dtype with the same bits. Throws ArgumentError that names the field and its dtype if there is
/// none.
inline ::at::ScalarType require_scalar_type(std::string_view field, DType dtype) {
  if (const auto type = scalar_type_of(dtype)) return *type;
  throw ArgumentError("field '" + std::string(field) + "' is " + std::string(name_of(dtype)) +
                      ", of which LibTorch " TORCH_VERSION
                      " has no tensors: let the dataset write a signed dtype that holds its values");
}

/// Returns leat's dtype with the same bits; nullopt if there is none: complex and quantized numbers.
inline std::optional<DType> dtype_of_tensor(::at::ScalarType type) noexcept {
  for (int code = 0; code <= static_cast<int>(DType::boolean); ++code) {
    if (scalar_type_of(static_cast<DType>(code)) == type) return static_cast<DType>(code);
  }
  return std::nullopt;
}

}  // namespace leat::torch
