#include "leat/loader/sweep/conclusion.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "leat/datasets/errors.h"
#include "tests/loader/sweep/sweep_rounds.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::round_at;
using test::rounds_at;
using test::Speeds;

int recommended(const Speeds& speeds) {
  return recommend_workers(summarize(rounds_at(speeds), {}));
}

bool mentions(const SweepResult& result, std::string_view text) {
  for (const std::string& doubt : result.doubts) {
    if (doubt.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("median and quartiles lie between the figures next to them") {
  const Distribution five = distribution_of({50, 10, 30, 20, 40});
  CHECK(five.median == 30);
  CHECK(five.lower_quartile == 20);
  CHECK(five.upper_quartile == 40);
  CHECK(five.lowest == 10);
  CHECK(five.highest == 50);
  CHECK(five.spread() == 20);
  const Distribution two = distribution_of({8, 4});
  CHECK(two.median == 6);
  CHECK(two.lower_quartile == 5);
  CHECK(two.upper_quartile == 7);
  const Distribution one = distribution_of({7});
  CHECK(one.median == 7);
  CHECK(one.spread() == 0);
  CHECK(distribution_of({0, 0}).relative_spread() == 0);
  test::expect_error<ArgumentError>([] { distribution_of({}); }, {"no figures"});
}

TEST_CASE("one stray round does not widen the spread of five") {
  CHECK(distribution_of({100, 100, 100, 100, 5}).spread() == 0);
}

TEST_CASE("the smallest number of workers within 5 % of the best is recommended") {
  CHECK(recommended({{0, {100}}, {1, {200}}, {2, {400}}}) == 2);
  CHECK(recommended({{0, {3800}}, {1, {2000}}, {2, {4000}}}) == 0);  // exactly 95 %
  CHECK(recommended({{0, {3799}}, {1, {2000}}, {2, {4000}}}) == 2);  // just below
  CHECK(recommended({{4, {400}}, {2, {390}}, {1, {100}}}) == 2);     // in any order
  CHECK(recommended({{0, {400}}, {8, {100}}}) == 0);
  CHECK(recommended({{3, {7}}}) == 3);
  test::expect_error<ArgumentError>([] { recommend_workers({}); }, {"nothing was measured"});
}

TEST_CASE("small gains add up to more workers") {
  CHECK(recommended({{1, {1000}}, {2, {1040}}, {3, {1080}}, {4, {1120}}}) == 3);
}

TEST_CASE("more workers that help by less than the spread are not recommended") {
  // 500 more than the median of two workers, but the rounds of either number differ by as much.
  CHECK(recommended({{2, {1900, 2000, 2100}}, {4, {2300, 2500, 2900}}}) == 4);
  CHECK(recommended({{2, {1900, 2000, 2100}}, {4, {2000, 2500, 3100}}}) == 2);
  CHECK(recommended({{2, {1400, 2000, 2600}}, {4, {2500, 2500, 2500}}}) == 2);
}

TEST_CASE("a larger number that is slower within a wide spread is not recommended") {
  CHECK(recommended({{1, {100, 100, 100}}, {2, {50, 90, 130}}, {3, {110, 110, 110}}}) == 3);
}

TEST_CASE("runs gather the rounds of one number of workers") {
  std::vector<SweepRound> rounds{round_at(2, 400), round_at(0, 100), round_at(2, 200), round_at(2, 300)};
  rounds[0].peak_memory_bytes = 7;
  rounds[2].peak_memory_bytes = 9;
  rounds[3].peak_memory_bytes = 8;
  rounds[0].others_share = 0.5;
  rounds[2].seconds = 2;  // 100 samples per second
  const std::vector<SweepRun> runs = summarize(rounds, {});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].num_workers == 0);
  CHECK(runs[1].num_workers == 2);
  CHECK(runs[1].samples_per_second.median == 300);
  CHECK(runs[1].samples_per_second.lowest == 100);
  CHECK(runs[1].peak_memory_bytes == 9);
  CHECK(runs[1].others_share == 0.125);  // 0.5 of one second of four
  CHECK(runs[1].rounds.size() == 3);
  rounds[3].others_share = std::nullopt;
  CHECK_FALSE(summarize(rounds, {})[1].others_share);
}

TEST_CASE("a calm machine's figures are trusted") {
  const SweepResult result = conclude(
      rounds_at({{0, {1000, 1010, 990}}, {2, {1950, 2000, 2010}}, {4, {1990, 1980, 2000}}}, 0.04), {});
  CHECK(result.trusted);
  CHECK(result.doubts.empty());
  CHECK(result.recommended_num_workers == 2);
  CHECK(result.recommended().samples_per_second.median == 2000);
  for (const SweepRun& run : result.runs) CHECK(run.trusted);
}

TEST_CASE("what is not trusted is said: others, spread, rounds, deaths") {
  const Speeds calm{{1, {1000, 1000, 1000}}, {2, {2000, 2000, 2000}}};
  CHECK(conclude(rounds_at(calm, 0.125), {.others_share = 0.125}).trusted);  // the limit itself is allowed
  CHECK(conclude(rounds_at(calm, std::nullopt), {}).trusted);

  auto rounds = rounds_at(calm);
  rounds.back().others_share = 0.45;  // 15 % of the time of two workers
  const SweepResult disturbed = conclude(rounds, {});
  CHECK_FALSE(disturbed.trusted);
  CHECK(mentions(disturbed, "others used 15 % of the CPUs in the rounds with 2 workers"));
  CHECK(disturbed.runs[0].trusted);
  CHECK_FALSE(disturbed.runs[1].trusted);
  CHECK(conclude(rounds, {.others_share = 0.2}).trusted);

  const SweepResult wide = conclude(rounds_at({{1, {800, 1000, 1200}}}), {});
  CHECK_FALSE(wide.trusted);
  CHECK(mentions(wide, "the rounds with 1 worker spread over 20 %"));
  CHECK(conclude(rounds_at({{1, {800, 1000, 1200}}}), {.spread = 0.2}).trusted);

  CHECK(mentions(conclude(rounds_at({{1, {1000, 1000}}}), {}), "2 rounds"));

  rounds = rounds_at(calm);
  rounds[1].restarts = 2;
  CHECK(mentions(conclude(rounds, {}), "2 died"));
}

// One dataset on a machine of 2 CPUs that others used, too: measured once each, the smallest number within 5 % of the
// best was 8, 2, 4 and 3 within an hour.
TEST_CASE("the recommendations of a noisy machine are not relied on") {
  const std::vector<int> counts{1, 2, 3, 4, 8};
  const std::vector<std::vector<std::vector<std::uint64_t>>> sweeps{
      {{600, 900, 950, 920, 1300}, {980, 1500, 1200, 1700, 1650}, {700, 1900, 1850, 1100, 1000}},
      {{980, 1900, 1500, 1300, 1200}, {610, 1000, 1100, 1800, 1500}, {900, 1400, 1900, 1000, 1750}},
      {{700, 1000, 1200, 1700, 1600}, {1000, 1850, 1300, 1100, 900}, {640, 1300, 1900, 1500, 1890}},
      {{800, 1100, 1800, 1500, 1600}, {990, 1950, 1000, 1200, 1250}, {700, 1200, 1400, 1900, 1800}}};
  std::vector<int> first_rounds;
  for (const auto& sweep : sweeps) {
    std::vector<SweepRound> rounds;
    for (const auto& speeds : sweep) {
      for (std::size_t i = 0; i < counts.size(); ++i) rounds.push_back(round_at(counts[i], speeds[i], 0.35));
    }
    first_rounds.push_back(recommend_workers(summarize(std::span(rounds).first(counts.size()), {})));
    const SweepResult result = conclude(rounds, {});
    CHECK_FALSE(result.trusted);
    CHECK(mentions(result, "others used 35 %"));
    CHECK(mentions(result, "spread"));
  }
  CHECK(first_rounds == std::vector{8, 2, 4, 3});
}

}  // namespace leat
