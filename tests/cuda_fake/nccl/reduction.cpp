#include "tests/cuda_fake/nccl/reduction.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <type_traits>

#include "leat/datasets/dtype.h"

namespace leat::cuda_fake {

namespace {

constexpr std::size_t kSlice = 64;  // elements whose sums begin with the same rank

// Integers wrap around.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
  } else {
    return a + b;
  }
}

Half sum(Half a, Half b) {
  return to_half(to_float(a) + to_float(b));
}
BFloat16 sum(BFloat16 a, BFloat16 b) {
  return to_bfloat16(to_float(a) + to_float(b));
}

template <class T>
T maximum(T a, T b) {
  return std::max(a, b);
}
Half maximum(Half a, Half b) {
  return to_float(a) < to_float(b) ? b : a;
}
BFloat16 maximum(BFloat16 a, BFloat16 b) {
  return to_float(a) < to_float(b) ? b : a;
}

template <class T>
constexpr bool kIsFloat = !std::is_integral_v<T>;

// What a rank of `ranks` brings to an average: its element, divided before the sum.
template <class T>
T share(T value, std::size_t ranks) {
  return value * (T{1} / static_cast<T>(ranks));
}
Half share(Half value, std::size_t ranks) {
  return to_half(share(to_float(value), ranks));
}
BFloat16 share(BFloat16 value, std::size_t ranks) {
  return to_bfloat16(share(to_float(value), ranks));
}

template <class T>
T element(const std::byte* first, std::size_t i) {
  T value;
  std::memcpy(&value, first + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void reduce_as(ncclRedOp_t op, std::span<const std::byte* const> ranks, std::size_t count,
               std::byte* result) {
  const auto brought = [&](std::size_t rank, std::size_t i) {
    const T value = element<T>(ranks[rank % ranks.size()], i);
    if constexpr (kIsFloat<T>) return op == ncclAvg ? share(value, ranks.size()) : value;
    return value;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i / kSlice % ranks.size();
    T value = brought(first, i);
    for (std::size_t step = 1; step < ranks.size(); ++step) {
      const T next = brought(first + step, i);
      value = op == ncclMax ? maximum(value, next) : sum(value, next);
    }
    std::memcpy(result + i * sizeof(T), &value, sizeof(T));
  }
}

struct Type {
  const char* name;
  std::size_t size;
  bool is_float;
  void (*reduce)(ncclRedOp_t op, std::span<const std::byte* const> ranks, std::size_t count,
                 std::byte* result);
};

const Type* find(ncclDataType_t type) {
  static const std::map<ncclDataType_t, Type> types{{ncclUint8, {"u8", 1, false, &reduce_as<std::uint8_t>}},
                                                    {ncclInt32, {"i32", 4, false, &reduce_as<std::int32_t>}},
                                                    {ncclInt64, {"i64", 8, false, &reduce_as<std::int64_t>}},
                                                    {ncclFloat16, {"f16", 2, true, &reduce_as<Half>}},
                                                    {ncclFloat32, {"f32", 4, true, &reduce_as<float>}},
                                                    {ncclFloat64, {"f64", 8, true, &reduce_as<double>}},
                                                    {ncclBfloat16, {"bf16", 2, true, &reduce_as<BFloat16>}}};
  const auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

}  // namespace

const char* name_of(ncclDataType_t type) {
  return find(type) == nullptr ? "elements" : find(type)->name;
}

std::size_t size_of(ncclDataType_t type) {
  return find(type) == nullptr ? 0 : find(type)->size;
}

bool is_reducible(ncclDataType_t type, ncclRedOp_t op) {
  const Type* const known = find(type);
  if (known == nullptr) return false;
  return op == ncclSum || op == ncclMax || (op == ncclAvg && known->is_float);
}

void reduce(ncclDataType_t type, ncclRedOp_t op, std::span<const std::byte* const> ranks, std::size_t count,
            std::byte* result) {
  find(type)->reduce(op, ranks, count, result);
}

}  // namespace leat::cuda_fake
