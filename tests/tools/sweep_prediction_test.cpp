#include "tools/sweep/prediction.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/loader/sweep/conclusion.h"
#include "tests/loader/sweep/sweep_rounds.h"
#include "tests/support/expect_error.h"

using namespace leat::detail;
using namespace leat::tools;
using leat::WhatIf;
using leat::test::round_at;
using leat::test::rounds_at;

namespace {

bool near(double a, double b) {
  return std::abs(a - b) < 1e-6 * (1 + std::abs(b));
}

}  // namespace

TEST_CASE("what a sample takes less, the throughput gains") {
  CHECK(near(predict_throughput(1000, 100, 100), 1000));
  CHECK(near(predict_throughput(1000, 100, 50), 2000));
  CHECK(near(predict_throughput(1000, 100, 80), 1250));
  CHECK(near(predict_throughput(1000, 0, 5), 1000));
  CHECK(near(predict_throughput(1000, 5, 0), 1000));
}

TEST_CASE("records save opening files, a cache all but a copy and the loader's own work") {
  const StepTimes times{
      .read = 30, .read_open = 20, .decode = 500, .sample = 700, .deliver = 710, .copy = 15};
  CHECK(cost_from_records(times) == 700);
  CHECK(cost_from_cache(times) == 25);
  CHECK(cost_from_records({.read = 20, .read_open = 30, .deliver = 50}) == 50);  // noise
  CHECK(cost_from_records({.read = 90, .read_open = 0, .deliver = 50}) == 25);
  CHECK(cost_from_cache({.sample = 9, .deliver = 8, .copy = 2}) == 2);
}

TEST_CASE("the steps of a sample sum up to its delivery, and none is negative") {
  const auto costs =
      sample_costs({.read = 30, .read_open = 20, .decode = 500, .sample = 700, .deliver = 710});
  REQUIRE(costs.size() == 4);
  CHECK(costs[0].microseconds == 30);
  CHECK(costs[1].microseconds == 500);
  CHECK(costs[2].microseconds == 170);
  CHECK(costs[3].microseconds == 10);
  for (const auto& cost : sample_costs({.read = 30, .decode = 500, .sample = 400, .deliver = 390})) {
    CHECK(cost.microseconds >= 0);
  }
}

TEST_CASE("more CPUs help where they are busy") {
  auto rounds = rounds_at({{2, {1000}}});
  rounds[0].cpu_share = 0.95;
  CHECK(predict_cpus(leat::detail::conclude(rounds, {}), 2) == 2000);
  rounds[0].cpu_share = 0.5;
  rounds[0].others_share = 0.4;
  CHECK(predict_cpus(leat::detail::conclude(rounds, {}), 2) == 2000);
  rounds[0].others_share = 0.1;
  CHECK(predict_cpus(leat::detail::conclude(rounds, {}), 2) == 1000);
}

TEST_CASE("a check measures how much faster the change is in each trial") {
  WhatIf what_if{.change = "records", .meaning = "", .now = 1000, .predicted = 1100};
  // The machine halves its speed in the second trial; the ratio stays.
  add_measurement(what_if,
                  std::vector<Trial>{{round_at(2, 400), round_at(2, 500)},
                                     {round_at(2, 200), round_at(2, 250)},
                                     {round_at(2, 400), round_at(2, 496)}},
                  {});
  CHECK(what_if.measured->median == 1250);
  CHECK(what_if.trusted);
  add_measurement(what_if,
                  std::vector<Trial>{{round_at(2, 400), round_at(2, 500)},
                                     {round_at(2, 400), round_at(2, 900)},
                                     {round_at(2, 400), round_at(2, 300)}},
                  {});
  CHECK_FALSE(what_if.trusted);
  add_measurement(what_if, std::vector<Trial>{{round_at(2, 400, 0.3), round_at(2, 500, 0.3)}}, {});
  CHECK_FALSE(what_if.trusted);
  leat::test::expect_error<leat::ArgumentError>([&] { add_measurement(what_if, {}, {}); }, {"no figures"});
}
