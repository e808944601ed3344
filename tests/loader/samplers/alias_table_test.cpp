#include "leat/loader/samplers/alias_table.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

namespace leat {

using namespace leat::detail;

namespace {

// How many of `heights` evenly spaced points per column stand for each index.
std::vector<std::size_t> areas(const AliasTable& table, std::size_t heights) {
  std::vector<std::size_t> points(table.size());
  for (std::size_t column = 0; column < table.size(); ++column) {
    for (std::size_t row = 0; row < heights; ++row) {
      const double height = (static_cast<double>(row) + 0.5) / static_cast<double>(heights);
      ++points[table.at(column, height)];
    }
  }
  return points;
}

TEST_CASE("areas are exactly the weights where these divide the square without rounding") {
  const std::vector<double> weights{1, 0, 7, 2, 5, 0, 16, 1};  // 32 in 8 columns: cuts are multiples of 1/4
  const std::vector<std::size_t> sixteenths{4, 0, 28, 8, 20, 0, 64, 4};
  CHECK(areas(AliasTable(weights), 16) == sixteenths);
}

TEST_CASE("one weight, and equal weights") {
  CHECK(areas(AliasTable(std::vector<double>{0.3}), 4) == std::vector<std::size_t>{4});
  CHECK(areas(AliasTable(std::vector<double>(5, 0.1)), 4) == std::vector<std::size_t>(5, 4));
}

TEST_CASE("areas follow weights that do not divide the square, to within a point per boundary") {
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i < 300; ++i) sum += weights.emplace_back(std::abs(std::sin(i * 0.7)) * i);
  const std::size_t heights = 4096;
  const auto points = areas(AliasTable(weights), heights);
  double total_error = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double expected = weights[i] / sum * 300.0 * static_cast<double>(heights);
    total_error += std::abs(static_cast<double>(points[i]) - expected);
  }
  // Each of 300 cuts is off by half a point at most, and lies between two indices.
  CHECK(total_error <= 300);
}

TEST_CASE("very large and very small weights keep their ratios, and zeros get nothing") {
  for (const double scale : {1e308, 1.0, 1e-300, 5e-324}) {
    const std::vector<double> weights{scale, 0, scale, scale, 0, 0, scale, 0};
    CHECK(areas(AliasTable(weights), 8) == std::vector<std::size_t>{16, 0, 16, 16, 0, 0, 16, 0});
  }
  std::vector<double> weights(100'000, 0.0);
  for (std::size_t i = 1; i < weights.size(); i += 3) weights[i] = 0.1 + 1e-9 * static_cast<double>(i);
  const auto points = areas(AliasTable(weights), 2);
  for (std::size_t i = 0; i < weights.size(); ++i) REQUIRE((points[i] > 0) == (weights[i] > 0));
}

}  // namespace
}  // namespace leat
