#include "leat/parallel/gradient_clipping.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "leat/datasets/dtype.h"
#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
T element(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return to_bfloat16(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
double number(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(to_float(value));
}

template <class T>
TensorView view(std::vector<T>& values) {
  return {.data = values.data(), .dtype = dtype_of<T>, .shape = {values.size()}};
}

// 3 elements of 2, 4 and 4, in two gradients, among zeros: the norm is 6.
template <class T>
void check_dtype() {
  std::vector<T> first(19, element<T>(0)), second(3, element<T>(0));
  first[0] = element<T>(2);
  first[18] = element<T>(-4);
  second[1] = element<T>(4);
  const std::array views{view(first), view(second)};
  CHECK(gradient_norm(views) == 6);
  CHECK(clip_gradient_norm(views, 7) == 6);
  CHECK(number(first[18]) == -4);
  CHECK(clip_gradient_norm(views, 3) == 6);
  const double factor = 3 / (6 + 1e-6);
  CHECK(first[0] == element<T>(2 * factor));
  CHECK(first[18] == element<T>(-4 * factor));
  CHECK(second[1] == element<T>(4 * factor));
  CHECK(number(second[0]) == 0);
}

TEST_CASE("gradients of every floating-point dtype are clipped by their global norm, as PyTorch does") {
  check_dtype<float>();
  check_dtype<double>();
  check_dtype<Half>();
  check_dtype<BFloat16>();
}

TEST_CASE("a norm is that of long arithmetic, for any number of elements") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  for (const std::size_t count : {1, 7, 8, 9, 1000, 4099}) {
    std::vector<float> values(count);
    long double sum = 0;
    for (float& each : values) {
      each = normal(random);
      sum += static_cast<long double>(each) * each;
    }
    const auto norm = static_cast<double>(std::sqrt(sum));
    CHECK(std::abs(gradient_norm(std::array{view(values)}) - norm) <= 1e-14 * norm);
  }
}

TEST_CASE("norms neither overflow nor vanish while the elements do not") {
  std::vector<double> huge(4, 1e300), tiny(4, 1e-300), least(1, 5e-324), none;
  CHECK(std::abs(gradient_norm(std::array{view(huge)}) / 2e300 - 1) < 1e-14);
  CHECK(std::abs(gradient_norm(std::array{view(tiny)}) / 2e-300 - 1) < 1e-14);
  CHECK(gradient_norm(std::array{view(least)}) == 5e-324);
  CHECK(gradient_norm(std::array{view(none)}) == 0);
  CHECK(gradient_norm({}) == 0);
}

TEST_CASE("infinite and NaN norms are as in PyTorch, or an error that leaves the gradients alone") {
  std::vector<float> infinite{1, -static_cast<float>(kInfinity), 2}, nan{static_cast<float>(kNaN), 1};
  CHECK(gradient_norm(std::array{view(infinite)}) == kInfinity);
  CHECK(std::isnan(gradient_norm(std::array{view(infinite), view(nan)})));
  expect_error<NonFiniteGradients>([&] { clip_gradient_norm(std::array{view(infinite)}, 1, true); }, {"inf"});
  expect_error<NonFiniteGradients>([&] { clip_gradient_norm(std::array{view(nan)}, 1, true); }, {"nan"});
  CHECK(infinite[0] == 1);
  CHECK(nan[1] == 1);
  CHECK(clip_gradient_norm(std::array{view(infinite)}, 1) == kInfinity);
  CHECK(infinite[0] == 0);
  CHECK(std::isnan(infinite[1]));
  CHECK(std::isnan(clip_gradient_norm(std::array{view(nan)}, 1)));
  CHECK(std::isnan(nan[1]));
}

TEST_CASE("limits that are none, and gradients of integers, are refused and stay as they are") {
  std::vector<float> values{3, 4};
  std::vector<std::int32_t> integers{3, 4};
  expect_error<ArgumentError>([&] { clip_gradient_norm(std::array{view(values)}, -1); }, {"max_norm is -1"});
  expect_error<ArgumentError>([&] { clip_gradient_norm(std::array{view(values)}, kNaN); },
                              {"max_norm is nan"});
  expect_error<ArgumentError>(
      [&] {
        clip_gradient_norm(std::array{view(values), view(integers)}, 1);
      },
      {"i32"});
  CHECK(values == std::vector<float>{3, 4});
  CHECK(clip_gradient_norm(std::array{view(values)}, 0) == 5);
  CHECK(values == std::vector<float>{0, 0});
}

TEST_CASE("ranks clip what they have reduced to the same bits, behind the work of the stream") {
  constexpr int kRanks = 3;
  const Group group = local_group(kRanks, 20s);
  std::vector<std::vector<float>> results(kRanks);
  std::vector<double> norms(kRanks);
  run_ranks(kRanks, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    std::vector<float> value(999);
    GradientReducer reducer(*group[r], {{.name = "w", .value = view(value)}}, {.bucket_cap_mb = 1});
    const Stream stream = host_device().make_stream();
    const auto gradient = TensorView(reducer.gradient(0)).as<float>();
    host_device().enqueue(stream, [&] {
      for (std::size_t i = 0; i < gradient.size(); ++i)
        gradient[i] = static_cast<float>(static_cast<double>(i) / (3.0 + rank));
    });
    reducer.mark_ready(0, stream);
    bool refused = false;
    try {
      reducer.clip_gradient_norm(1, stream);
    } catch (const ArgumentError&) {
      refused = true;
    }
    expect(refused, "an error within a pass");
    reducer.finish(stream);
    norms[r] = reducer.clip_gradient_norm(0.125, stream);
    results[r].assign(gradient.begin(), gradient.end());
  });
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    CHECK(norms[rank] == norms[0]);
    CHECK(same_bits(results[rank], results[0]));
  }
  CHECK(std::abs(gradient_norm(std::array{view(results[0])}) - 0.125) < 1e-6);
}

}  // namespace
}  // namespace leat::test
