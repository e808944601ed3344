// Orders of any length, beyond a billion too, favor no sample and no position.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <vector>

#include "leat/loader/sampler.h"
#include "leat/loader/samplers/permutation.h"
#include "tests/support/chi_squared.h"

namespace leat {

using namespace leat::detail;

namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;

std::uint64_t at(const Sampler& sampler, std::uint64_t epoch, std::size_t position) {
  std::uint64_t index = 0;
  sampler.indices(epoch, position, {&index, 1});
  return index;
}

// Chi squared of `counts`, all of which should be equal.
double unevenness(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += count;
  return test::chi_squared(counts, std::vector(counts.size(), sum / static_cast<double>(counts.size())));
}

TEST_CASE("no modulo bias: three quarters of a power of two, at which it would be largest") {
  // Powers of two taken modulo these lengths would give the first third twice as often as the rest.
  for (const std::uint64_t n :
       {std::uint64_t{192}, std::uint64_t{3} << 20, std::uint64_t{3} << 30, std::uint64_t{3} << 44}) {
    const RandomSampler sampler(n, 77);
    std::vector<double> first(48), last(48);
    for (std::uint64_t epoch = 0; epoch < 24'000; ++epoch) {
      ++first.at(at(sampler, epoch, 0) / (n / 48));
      ++last.at(at(sampler, epoch, n - 1) / (n / 48));
    }
    INFO("n = " << n << ", chi squared " << unevenness(first) << " and " << unevenness(last));
    CHECK(unevenness(first) < test::chi_squared_limit(47));
    CHECK(unevenness(last) < test::chi_squared_limit(47));
  }
}

TEST_CASE("positions that follow each other in an order of three billion are independent") {
  const std::uint64_t n = 3 * kBillion;
  const Permutation order(n, 5, 0);
  const auto twelfth = [&](std::uint64_t position) { return order(position) / (n / 12); };
  for (const std::uint64_t start : {std::uint64_t{0}, n / 2, n - 72'001}) {
    std::vector<double> pairs(144);
    for (std::uint64_t i = start; i < start + 72'000; ++i) ++pairs.at(twelfth(i) * 12 + twelfth(i + 1));
    INFO("from " << start << ", chi squared " << unevenness(pairs));
    CHECK(unevenness(pairs) < test::chi_squared_limit(143));
  }
}

TEST_CASE("an order of a million and three is a bijection") {
  const std::size_t n = 1'000'003;
  const Permutation order(n, 9, 4);
  std::vector<bool> seen(n);
  for (std::size_t position = 0; position < n; ++position) seen[order(position)] = true;
  CHECK(std::count(seen.begin(), seen.end(), true) == n);
}

TEST_CASE("ranks divide five billion and eleven samples") {
  const std::size_t n = 5 * kBillion + 11;
  const RandomSampler whole(n, 21);
  std::set<std::uint64_t> ends;
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const DistributedSamplerOptions options{static_cast<int>(rank), 8, true, 21, RemainderPolicy::keep};
    const DistributedSampler sampler(n, options);
    REQUIRE(sampler.size() == (rank < 3 ? 625'000'002u : 625'000'001u));
    for (std::size_t i = sampler.size() - 500; i < sampler.size(); ++i) {
      const std::uint64_t index = at(sampler, 6, i);
      REQUIRE(index < n);
      REQUIRE(index == at(whole, 6, i * 8 + rank));
      ends.insert(index);
    }
  }
  CHECK(ends.size() == 8 * 500);
}

TEST_CASE("five billion samples in sequence, and what remains of them") {
  const DistributedSampler sampler(5 * kBillion, {.shuffle = false, .remainder = RemainderPolicy::keep});
  CHECK(at(SequentialSampler(5 * kBillion), 0, 5 * kBillion - 1) == 4'999'999'999);
  CHECK(at(sampler, 0, 5 * kBillion - 1) == 4'999'999'999);
  const auto rest = sampler.remaining(0, PositionSet::below(5 * kBillion - 7));
  CHECK(rest->size() == 7);
  CHECK(at(*rest, 0, 6) == 4'999'999'999);
}

}  // namespace
}  // namespace leat
