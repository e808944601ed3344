#include "leat/datasets/base/numpy_dtype.h"

#include <array>
#include <utility>

namespace leat::detail {

namespace {

constexpr std::array<std::pair<std::string_view, DType>, 12> kNames{{{"uint8", DType::u8},
                                                                     {"int8", DType::i8},
                                                                     {"uint16", DType::u16},
                                                                     {"int16", DType::i16},
                                                                     {"uint32", DType::u32},
                                                                     {"int32", DType::i32},
                                                                     {"uint64", DType::u64},
                                                                     {"int64", DType::i64},
                                                                     {"float16", DType::f16},
                                                                     {"float32", DType::f32},
                                                                     {"float64", DType::f64},
                                                                     {"bool", DType::boolean}}};

}  // namespace

std::string_view numpy_name(DType dtype) noexcept {
  for (const auto& [name, known] : kNames) {
    if (known == dtype) return name;
  }
  return {};
}

std::optional<DType> dtype_of_numpy_name(std::string_view name) noexcept {
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

}  // namespace leat::detail
