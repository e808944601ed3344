#include "tools/sweep/report.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "loader/base/errors.h"
#include "tests/support/expect_error.h"

using namespace leat::tools;

namespace {

std::vector<Measurement> runs(std::vector<std::pair<int, double>> figures) {
  std::vector<Measurement> result;
  for (const auto& [workers, speed] : figures) {
    result.push_back({.num_workers = workers,
                      .samples_per_second = speed,
                      .first_batch_ms = 1,
                      .cpu_utilisation = 0.5,
                      .cpu_seconds_per_1000_samples = 2,
                      .peak_memory_mib = 3});
  }
  return result;
}

}  // namespace

TEST_CASE("the smallest number of workers within 5 % of the best is recommended") {
  CHECK(recommended_workers(runs({{0, 100}, {1, 200}, {2, 400}})) == 2);
  CHECK(recommended_workers(runs({{0, 380}, {1, 200}, {2, 400}})) == 0);    // exactly 95 %
  CHECK(recommended_workers(runs({{0, 379.9}, {1, 200}, {2, 400}})) == 2);  // just below
  CHECK(recommended_workers(runs({{4, 400}, {2, 390}, {1, 100}})) == 2);    // in any order
  CHECK(recommended_workers(runs({{0, 400}, {8, 100}})) == 0);
  CHECK(recommended_workers(runs({{3, 7}})) == 3);
  leat::test::expect_error<leat::ArgumentError>([] { recommended_workers({}); }, {"nothing was measured"});
}

TEST_CASE("the JSON has just the documented keys") {
  const auto json = nlohmann::json::parse(to_json(runs({{0, 100}, {2, 400}})));
  const nlohmann::json expected = {{"runs",
                                    {{{"num_workers", 0},
                                      {"samples_per_second", 100.0},
                                      {"first_batch_ms", 1.0},
                                      {"cpu_seconds_per_1000_samples", 2.0},
                                      {"peak_memory_mib", 3.0}},
                                     {{"num_workers", 2},
                                      {"samples_per_second", 400.0},
                                      {"first_batch_ms", 1.0},
                                      {"cpu_seconds_per_1000_samples", 2.0},
                                      {"peak_memory_mib", 3.0}}}},
                                   {"recommended_num_workers", 2}};
  CHECK(json == expected);
}

TEST_CASE("rows of the table are as wide as its header") {
  for (const double speed : {1.0, 12345.6, 4600000.0}) {
    CHECK(table_row(runs({{2, speed}}).front()).size() == table_header().size());
  }
}
