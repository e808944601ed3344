#include "leat/loader/subset_sampler.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <vector>

namespace leat {
namespace {

using Indices = std::vector<std::uint64_t>;

Indices all(const Sampler& sampler, std::uint64_t epoch) {
  Indices indices(sampler.size());
  sampler.indices(epoch, 0, indices);
  return indices;
}

Indices squares(std::size_t count) {
  Indices indices;
  for (std::uint64_t i = 0; i < count; ++i) indices.push_back(i * i);
  return indices;
}

TEST_CASE("a subset without shuffling comes in the order given, repetitions included") {
  const SubsetSampler sampler({7, 3, 3, 1'000'000'000'000}, {.shuffle = false});
  CHECK(all(sampler, 0) == Indices{7, 3, 3, 1'000'000'000'000});
  CHECK(all(sampler, 5) == all(sampler, 0));
  Indices two(2);
  sampler.indices(0, 2, two);
  CHECK(two == Indices{3, 1'000'000'000'000});
  CHECK(SubsetSampler({}).size() == 0);
}

TEST_CASE("a shuffled subset has every index once, epochs and seeds differ, the same ones repeat") {
  const SubsetSampler sampler(squares(200), {.seed = 8});
  Indices sorted = all(sampler, 1);
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == squares(200));
  CHECK(all(sampler, 1) == all(SubsetSampler(squares(200), {.seed = 8}), 1));
  CHECK(all(sampler, 1) != all(sampler, 2));
  CHECK(all(sampler, 1) != all(SubsetSampler(squares(200), {.seed = 9}), 1));
}

TEST_CASE("what remains of a shuffled subset is the end of its order") {
  const auto sampler = std::make_shared<SubsetSampler>(squares(20), SubsetSamplerOptions{.seed = 8});
  const Indices order = all(*sampler, 3);
  CHECK(all(*sampler->remaining(3, PositionSet::below(13)), 3) == Indices(order.begin() + 13, order.end()));
}

}  // namespace
}  // namespace leat
