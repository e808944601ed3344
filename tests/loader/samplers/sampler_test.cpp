#include "leat/loader/sampler.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "leat/loader/samplers/epoch_plan.h"
#include "leat/loader/samplers/permutation.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

std::vector<std::uint64_t> all(const Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::uint64_t> indices(sampler.size());
  sampler.indices(epoch, 0, indices);
  return indices;
}

bool is_permutation_of_range(std::vector<std::uint64_t> indices, std::size_t n) {
  std::sort(indices.begin(), indices.end());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != i) return false;
  }
  return indices.size() == n;
}

TEST_CASE("the permutation is a bijection for every small n") {
  for (std::size_t n = 1; n <= 520; ++n) {
    INFO("n = " << n);
    REQUIRE(is_permutation_of_range(all(RandomSampler(n, n * 31), 5), n));
  }
}

TEST_CASE("every order of four samples comes about equally often") {
  std::map<std::vector<std::uint64_t>, int> counts;
  const int draws = 24000;
  for (int epoch = 0; epoch < draws; ++epoch)
    ++counts[all(RandomSampler(4, 11), static_cast<std::uint64_t>(epoch))];
  REQUIRE(counts.size() == 24);
  double chi_squared = 0;
  for (const auto& [order, count] : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_squared < 60);  // 23 degrees of freedom, p < 1e-4; the seed is fixed
}

TEST_CASE("every sample comes at every position about equally often") {
  for (const std::size_t n : {7, 8, 10, 16, 33}) {
    std::vector<int> counts(n * n);
    const int epochs = 20000;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const auto order = all(RandomSampler(n, 3), static_cast<std::uint64_t>(epoch));
      for (std::size_t position = 0; position < n; ++position) ++counts[position * n + order[position]];
    }
    const double expected = static_cast<double>(epochs) / static_cast<double>(n);
    double chi_squared = 0;
    for (const int count : counts) chi_squared += (count - expected) * (count - expected) / expected;
    const auto freedom = static_cast<double>((n - 1) * (n - 1));
    chi_squared *=
        static_cast<double>(n - 1) / static_cast<double>(n);  // rows and columns of the table are fixed
    INFO("n = " << n << ", chi squared " << chi_squared);
    CHECK(chi_squared < freedom + 4.5 * std::sqrt(2 * freedom));
  }
}

TEST_CASE("a billion samples take no time and no memory, and any position can be asked for") {
  const std::size_t n = 1'000'000'000;
  const Permutation order(n, 1, 0);
  std::set<std::uint64_t> seen;
  for (std::uint64_t position = n - 1000; position < n; ++position) {
    REQUIRE(order(position) < n);
    seen.insert(order(position));
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("epochs and seeds differ, the same ones repeat") {
  const RandomSampler sampler(1000, 42);
  CHECK(all(sampler, 0) == all(RandomSampler(1000, 42), 0));
  CHECK(all(sampler, 0) != all(sampler, 1));
  CHECK(all(sampler, 0) != all(RandomSampler(1000, 43), 0));
}

TEST_CASE("the order of an epoch is golden: stable across versions") {
  CHECK(all(RandomSampler(10, 0), 0) == std::vector<std::uint64_t>{2, 8, 3, 5, 4, 1, 7, 9, 6, 0});
  std::vector<std::uint64_t> out(3);
  RandomSampler(1'000'000'007, 123).indices(4, 999'999'000, out);
  CHECK(out == std::vector<std::uint64_t>{107920856, 314243917, 246198141});
}

std::vector<std::vector<std::uint64_t>> shares(std::size_t samples, int world, RemainderPolicy remainder,
                                               bool shuffle = true) {
  std::vector<std::vector<std::uint64_t>> ranks;
  for (int rank = 0; rank < world; ++rank) {
    ranks.push_back(all(DistributedSampler(samples, {rank, world, shuffle, 9, remainder}), 2));
  }
  return ranks;
}

TEST_CASE("105 samples over 4 ranks: 27 each with padding, 26 without, all of them once when kept") {
  std::set<std::uint64_t> covered;
  for (const auto& share : shares(105, 4, RemainderPolicy::pad)) {
    CHECK(share.size() == 27);
    covered.insert(share.begin(), share.end());
  }
  CHECK(covered.size() == 105);

  std::vector<std::uint64_t> dropped, kept;
  for (const auto& share : shares(105, 4, RemainderPolicy::drop)) {
    CHECK(share.size() == 26);
    dropped.insert(dropped.end(), share.begin(), share.end());
  }
  CHECK(std::set(dropped.begin(), dropped.end()).size() == 104);  // disjoint
  for (const auto& share : shares(105, 4, RemainderPolicy::keep))
    kept.insert(kept.end(), share.begin(), share.end());
  CHECK(is_permutation_of_range(kept, 105));
}

TEST_CASE("fewer samples than ranks: padding repeats until every rank has equally many") {
  const auto ranks = shares(2, 5, RemainderPolicy::pad, false);
  const std::vector<std::vector<std::uint64_t>> expected{{0}, {1}, {0}, {1}, {0}};
  CHECK(ranks == expected);
  for (const auto& share : shares(0, 3, RemainderPolicy::pad)) CHECK(share.empty());
}

TEST_CASE("padding wraps to the start of the shared order, as PyTorch's does") {
  const auto ranks = shares(10, 4, RemainderPolicy::pad, false);
  CHECK(ranks[2] == std::vector<std::uint64_t>{2, 6, 0});
}

TEST_CASE("the k-th batches of all ranks together are the k-th global batch") {
  const auto global = all(DistributedSampler(103, {0, 1, true, 9, RemainderPolicy::keep}), 2);
  const auto ranks = shares(103, 3, RemainderPolicy::keep);
  for (std::size_t step = 0; step * 12 < 103; ++step) {
    std::multiset<std::uint64_t> together;
    for (const auto& share : ranks) {
      for (std::size_t i = step * 4; i < std::min(share.size(), step * 4 + 4); ++i) together.insert(share[i]);
    }
    const auto last =
        global.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(103, step * 12 + 12));
    CHECK(together ==
          std::multiset<std::uint64_t>(global.begin() + static_cast<std::ptrdiff_t>(step * 12), last));
  }
}

TEST_CASE("a rank outside the world is refused with the range") {
  test::expect_error<ArgumentError>([] { DistributedSampler(10, {3, 3}); }, {"rank 3", "[0, 3)"});
  test::expect_error<ArgumentError>([] { DistributedSampler(10, {-1, 3}); }, {"rank -1"});
}

TEST_CASE("plans: 600 samples in batches of 7 are 86, or 85 without the short last one") {
  CHECK(EpochPlan{600, 7, false}.batches() == 86);
  CHECK(EpochPlan{600, 7, true}.batches() == 85);
  CHECK(EpochPlan{600, 7, false}.rows(85) == 5);
  CHECK(EpochPlan{100, 3, false}.batches() == 34);
  CHECK(EpochPlan{0, 3, false}.batches() == 0);
}

}  // namespace
}  // namespace leat
