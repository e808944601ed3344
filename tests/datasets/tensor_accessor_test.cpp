#include "leat/datasets/tensor_accessor.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "leat/datasets/errors.h"

namespace leat {
namespace {

TEST_CASE("an accessor finds elements of a row-major tensor by index") {
  std::array<std::int32_t, 24> values{};
  std::iota(values.begin(), values.end(), 0);
  const TensorView view{values.data(), DType::i32, {2, 3, 4}};
  const TensorAccessor<std::int32_t, 3> image(view);
  CHECK(image(0, 0, 0) == 0);
  CHECK(image(1, 2, 3) == 23);
  CHECK(image(1, 0, 2) == 14);
  CHECK(image[1](0, 2) == 14);
  CHECK(image[1][0][2] == 14);
  CHECK(image[1].extent(0) == 3);
  CHECK(image.extent(2) == 4);
  CHECK(image.stride(0) == 12);
  CHECK(image.size() == 24);
  CHECK(image[1].elements().front() == 12);
  image(1, 0, 2) = 7;
  CHECK(values[14] == 7);
}

TEST_CASE("an accessor of nothing is empty") {
  const TensorAccessor<const float, 2> none(TensorView{nullptr, DType::f32, {0, 5}});
  CHECK(none.size() == 0);
  CHECK(none.elements().empty());
}

TEST_CASE("an accessor refuses another dtype or number of indices") {
  std::array<float, 4> values{};
  const TensorView view{values.data(), DType::f32, {2, 2}};
  CHECK_THROWS_AS((TensorAccessor<double, 2>(view)), ArgumentError);
  CHECK_THROWS_AS((TensorAccessor<float, 3>(view)), ArgumentError);
}

}  // namespace
}  // namespace leat
