#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("size arithmetic refuses to wrap round") {
  const std::size_t huge = ~std::size_t{0};
  CHECK(checked_multiply(1u << 20, 1u << 20) == std::size_t{1} << 40);
  CHECK_THROWS_AS(checked_multiply(huge, 2), ArgumentError);
  CHECK_THROWS_AS(checked_add(huge, 1), ArgumentError);
  CHECK_THROWS_AS(align_up(huge, 256), ArgumentError);
  CHECK(align_up(257, 256) == 512);
  CHECK(align_up(256, 256) == 256);
  CHECK(divide_up(7, 3) == 3);
  CHECK(divide_up(6, 3) == 2);
}

}  // namespace
}  // namespace leat
