#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "leat/datasets/errors.h"
#include "leat/datasets/tensor_view.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

TEST_CASE("tensor views cut rows and check types") {
  std::array<std::int32_t, 6> numbers{0, 1, 2, 3, 4, 5};
  const TensorView view{numbers.data(), DType::i32, {3, 2}};
  CHECK(view.bytes() == 24);
  CHECK(view.rows(1, 3).as<std::int32_t>()[0] == 2);
  CHECK(view.rows(1, 1).count() == 0);
  test::expect_error<ArgumentError>([&] { view.rows(2, 4); }, {"[2, 4)", "[3, 2]"});
  test::expect_error<ArgumentError>([&] { view.as<float>(); }, {"i32", "f32"});
}

}  // namespace
}  // namespace leat
