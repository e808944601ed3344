#include "leat/datasets/dtype.h"

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace leat {
namespace {

std::uint16_t bits(Half value) {
  return static_cast<std::uint16_t>(value);
}
std::uint16_t bits(BFloat16 value) {
  return static_cast<std::uint16_t>(value);
}

TEST_CASE("a bool is a byte, 0 or 1") {
  CHECK(dtype_of<const bool> == DType::boolean);
  CHECK(size_of(DType::boolean) == 1);
  CHECK(name_of(DType::boolean) == "bool");
  std::vector<std::byte> bytes(1000, std::byte{1});
  bytes[7] = std::byte{0};
  CHECK(are_booleans({}));
  CHECK(are_booleans(bytes));
  for (const std::size_t at : {std::size_t{0}, std::size_t{500}, bytes.size() - 1}) {
    for (const int value : {2, 3, 0x80, 0xff}) {
      std::vector<std::byte> wrong = bytes;
      wrong[at] = static_cast<std::byte>(value);
      CHECK_FALSE(are_booleans(wrong));
    }
  }
}

TEST_CASE("every half survives the way to float and back") {
  int wrong = 0;
  for (unsigned pattern = 0; pattern < 0x10000; ++pattern) {
    const auto half = static_cast<Half>(static_cast<std::uint16_t>(pattern));
    const float value = to_float(half);
    const bool nan = (pattern & 0x7c00u) == 0x7c00u && (pattern & 0x3ffu) != 0;
    wrong +=
        nan ? !std::isnan(value) || !std::isnan(to_float(to_half(value))) : bits(to_half(value)) != pattern;
  }
  CHECK(wrong == 0);
}

TEST_CASE("halves round to nearest, ties to even") {
  CHECK(bits(to_half(1.0f)) == 0x3c00);
  CHECK(bits(to_half(1.0f + 0x1p-11f)) == 0x3c00);      // a tie goes to the even neighbor below
  CHECK(bits(to_half(1.0f + 3 * 0x1p-11f)) == 0x3c02);  // and here to the even one above
  CHECK(bits(to_half(1.0f + 0x1.01p-11f)) == 0x3c01);   // above the tie
  CHECK(bits(to_half(65519.0f)) == 0x7bff);
  CHECK(bits(to_half(65520.0f)) == 0x7c00);    // infinity
  CHECK(bits(to_half(-0x1p-24f)) == 0x8001);   // the smallest subnormal
  CHECK(bits(to_half(0x1p-25f)) == 0x0000);    // a tie with zero
  CHECK(bits(to_half(0x1.8p-24f)) == 0x0002);  // a tie between subnormals
  CHECK(bits(to_half(std::numeric_limits<float>::infinity())) == 0x7c00);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even, and keeps NaN") {
  CHECK(bits(to_bfloat16(1.0f)) == 0x3f80);
  CHECK(bits(to_bfloat16(1.0f + 0x1p-8f)) == 0x3f80);
  CHECK(bits(to_bfloat16(1.0f + 3 * 0x1p-8f)) == 0x3f82);
  CHECK(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
  CHECK(to_float(to_bfloat16(-2.5f)) == -2.5f);
}

TEST_CASE("sizes and names") {
  CHECK(size_of(dtype_of<float>) == 4);
  CHECK(size_of(DType::bf16) == 2);
  CHECK(name_of(dtype_of<const std::int64_t>) == "i64");
}

}  // namespace
}  // namespace leat
