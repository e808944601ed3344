#include "leat/loader/weighted_sampler.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "leat/datasets/rng.h"
#include "tests/support/chi_squared.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using Indices = std::vector<std::uint64_t>;
using Weights = std::vector<double>;

Indices all(const Sampler& sampler, std::uint64_t epoch) {
  Indices indices(sampler.size());
  sampler.indices(epoch, 0, indices);
  return indices;
}

TEST_CASE("with replacement, samples come in proportion to their weights") {
  const WeightedSampler sampler({1, 2, 0, 3, 4}, 100'000, {.seed = 5});
  std::vector<double> counts(5);
  for (const std::uint64_t index : all(sampler, 1)) ++counts.at(index);
  CHECK(counts[2] == 0);
  counts.erase(counts.begin() + 2);
  const double chi_squared = test::chi_squared(counts, {10'000, 20'000, 30'000, 40'000});
  INFO("chi squared " << chi_squared);
  CHECK(chi_squared < test::chi_squared_limit(3));
}

TEST_CASE(
    "with replacement, many weights: each position over the epochs, and each epoch over the positions") {
  Weights weights(1000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(1 + i % 9) * 0.1;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<double> expected(1000), over_positions(1000), over_epochs(1000);
  for (std::size_t i = 0; i < 1000; ++i) expected[i] = 100'000 * weights[i] / sum;
  const WeightedSampler sampler(weights, 100'000, {.seed = 6});
  for (const std::uint64_t index : all(sampler, 0)) ++over_positions.at(index);
  for (std::uint64_t epoch = 0; epoch < 100'000; ++epoch) {
    Indices one(1);
    sampler.indices(epoch, 17, one);
    ++over_epochs.at(one[0]);
  }
  CHECK(test::chi_squared(over_positions, expected) < test::chi_squared_limit(999));
  CHECK(test::chi_squared(over_epochs, expected) < test::chi_squared_limit(999));
}

TEST_CASE("with replacement, draws that follow each other are independent") {
  const Indices drawn = all(WeightedSampler({1, 2, 3}, 72'001, {.seed = 7}), 0);
  std::vector<double> pairs(9), expected;
  for (std::size_t i = 0; i + 1 < drawn.size(); ++i) ++pairs.at(drawn[i] * 3 + drawn[i + 1]);
  for (const int first : {1, 2, 3}) {
    for (const int second : {1, 2, 3}) expected.push_back(first * second * 2000);
  }
  CHECK(test::chi_squared(pairs, expected) < test::chi_squared_limit(8));
}

TEST_CASE("without replacement, every order comes as often as drawing one after the other gives it") {
  const Weights weights{1, 2, 3, 4};
  std::map<Indices, double> counts;
  const int draws = 100'800;
  const WeightedSampler sampler(weights, 4, {.replacement = false, .seed = 8});
  for (int epoch = 0; epoch < draws; ++epoch) ++counts[all(sampler, static_cast<std::uint64_t>(epoch))];
  REQUIRE(counts.size() == 24);
  std::vector<double> observed, expected;
  for (const auto& [order, count] : counts) {
    double probability = 1, left = 10;
    for (const std::uint64_t index : order) {
      probability *= weights[index] / left;
      left -= weights[index];
    }
    observed.push_back(count);
    expected.push_back(draws * probability);
  }
  CHECK(test::chi_squared(observed, expected) < test::chi_squared_limit(23));
}

TEST_CASE("without replacement, fewer positions than weights are the start of the whole order") {
  Weights weights(500);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 5);
  const WeightedSampler some(weights, 60, {.replacement = false, .seed = 2});
  const Indices order = all(WeightedSampler(weights, 400, {.replacement = false, .seed = 2}), 3);
  CHECK(all(some, 3) == Indices(order.begin(), order.begin() + 60));
  CHECK(std::set(order.begin(), order.end()).size() == 400);
  CHECK(std::none_of(order.begin(), order.end(), [](auto index) { return index % 5 == 0; }));
}

TEST_CASE("without replacement, weights of any magnitude keep their order, and tiny ones are drawn evenly") {
  int first_of_tiny = 0;
  for (std::uint64_t epoch = 0; epoch < 10'000; ++epoch) {
    const WeightedSampler sampler({5e-324, 1e308, 5e-324, 1.0}, 4, {.replacement = false, .seed = 3});
    const Indices order = all(sampler, epoch);
    REQUIRE(order[0] == 1);
    REQUIRE(order[1] == 3);
    if (order[2] == 0) ++first_of_tiny;
  }
  CHECK(std::abs(first_of_tiny - 5000) < 4 * 50);  // four standard deviations
}

TEST_CASE("the same seed and epoch repeat, others differ, whatever was asked for before") {
  for (const bool replacement : {true, false}) {
    const Weights weights(300, 0.5);
    const WeightedSampler sampler(weights, 200, {replacement, 11});
    const Indices first = all(sampler, 0), second = all(sampler, 1);
    CHECK(first != second);
    CHECK(all(sampler, 0) == first);
    CHECK(all(WeightedSampler(weights, 200, {replacement, 11}), 1) == second);
    CHECK(all(WeightedSampler(weights, 200, {replacement, 12}), 0) != first);
    Indices middle(20);
    sampler.indices(1, 90, middle);
    CHECK(middle == Indices(second.begin() + 90, second.begin() + 110));
  }
}

TEST_CASE("weighted orders are golden: stable across versions") {
  const Weights weights{1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(all(WeightedSampler(weights, 8, {true, 1}), 2) == Indices{4, 7, 4, 6, 4, 6, 4, 4});
  CHECK(all(WeightedSampler(weights, 8, {false, 1}), 2) == Indices{3, 7, 6, 4, 1, 2, 5, 0});
}

TEST_CASE("draws do not consist of the numbers that the samples are augmented with") {
  const Indices drawn = all(WeightedSampler(Weights(1000, 1.0), 1000, {.seed = 4}), 9);
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) equal += Rng(4, 9, i).below(1000) == drawn[i] ? 1 : 0;
  CHECK(equal < 10);  // 1 is expected
}

TEST_CASE("what remains of a weighted epoch is the end of its order") {
  for (const bool replacement : {true, false}) {
    const auto sampler =
        std::make_shared<WeightedSampler>(Weights{3, 1, 2, 5}, 4, WeightedSamplerOptions{replacement, 6});
    const Indices order = all(*sampler, 2);
    CHECK(all(*sampler->remaining(2, PositionSet::below(1)), 2) == Indices(order.begin() + 1, order.end()));
  }
}

TEST_CASE("weights that are no weights are refused by index") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](Weights weights, std::size_t num_samples, bool replacement,
                          std::initializer_list<std::string_view> fragments) {
    test::expect_error<ArgumentError>(
        [&] { WeightedSampler(std::move(weights), num_samples, {.replacement = replacement}); }, fragments);
  };
  for (const bool replacement : {true, false}) {
    refused({1, 2, -0.5}, 1, replacement, {"sample 2", "-0.5"});
    refused({1, nan, 2}, 1, replacement, {"sample 1", "nan"});
    refused({infinity}, 1, replacement, {"sample 0", "inf"});
    refused({0, 0, 0}, 1, replacement, {"none of the 3 weights", "above 0"});
    refused({}, 1, replacement, {"none of the 0 weights"});
  }
  refused({1, 0, 2, 0}, 3, false, {"3 samples without replacement", "2 of the 4 weights"});
  CHECK(WeightedSampler({1, 0, 2, 0}, 3).size() == 3);
  CHECK(WeightedSampler({1}, 0, {.replacement = false}).size() == 0);
}

}  // namespace
}  // namespace leat
