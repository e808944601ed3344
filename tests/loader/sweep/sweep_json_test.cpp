#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "leat/loader/sweep/conclusion.h"
#include "leat/loader/sweep_result.h"
#include "tests/loader/sweep/sweep_rounds.h"

namespace leat {

using namespace leat::detail;

using nlohmann::json;

TEST_CASE("the JSON of a sweep holds data, machine, every round, and whether to rely on it") {
  std::vector<SweepRound> rounds = test::rounds_at({{0, {100, 100}}, {2, {300, 500}}});
  rounds[3].others_share = std::nullopt;
  rounds[3].cpu_pressure = 0.5;
  SweepResult result = conclude(rounds, {});
  result.data = {.what = "folder \xff",  // names need not be UTF-8
                 .samples = 1000,
                 .batch_size = 8,
                 .bytes_per_sample = 36,
                 .stored_bytes = 5000,
                 .settings = {{"image_size", "224"}}};
  result.machine = {.usable_cpus = 2.5, .cpus = 4, .cpu_model = "Fast", .memory_bytes = 77};
  result.seconds_per_round = 1.5;
  const json all = json::parse(to_json(result));

  CHECK_FALSE(all.at("leat_version").get<std::string>().empty());
  CHECK(all.at("data").at("what") == "folder \xEF\xBF\xBD");
  CHECK(all.at("data").at("samples") == 1000);
  CHECK(all.at("data").at("stored_bytes") == 5000);
  CHECK(all.at("data").at("bytes_per_sample") == 36);
  CHECK(all.at("data").at("batch_size") == 8);
  CHECK(all.at("data").at("settings") == json{{"image_size", "224"}});
  CHECK(all.at("machine") ==
        json{{"usable_cpus", 2.5}, {"cpus", 4}, {"cpu_model", "Fast"}, {"memory_bytes", 77}});
  CHECK(all.at("limits") == json{{"others_share", 0.1}, {"spread", 0.1}, {"rounds", 3}});
  CHECK(all.at("seconds_per_round") == 1.5);
  CHECK(all.at("recommended_num_workers") == 2);
  CHECK(all.at("trusted") == false);
  CHECK(all.at("doubts").size() == 2);  // rounds, spread

  REQUIRE(all.at("runs").size() == 2);
  const json& run = all.at("runs").at(1);
  CHECK(run.at("num_workers") == 2);
  CHECK(run.at("samples_per_second") == 400);
  CHECK(run.at("samples_per_second_spread") == json{{"median", 400.0},
                                                    {"lower_quartile", 350.0},
                                                    {"upper_quartile", 450.0},
                                                    {"lowest", 300.0},
                                                    {"highest", 500.0}});
  CHECK(run.at("first_batch_ms") == 10);
  CHECK(run.at("cpu_share") == 0.25);
  CHECK(run.at("peak_memory_mib") == 3);
  CHECK(run.at("others_share").is_null());
  CHECK(run.at("cpu_pressure") == 0.25);
  CHECK(run.at("restarts") == 0);
  CHECK(run.at("trusted") == false);
  CHECK(all.at("runs").at(0).at("others_share") == 0);
  REQUIRE(run.at("rounds").size() == 2);
  CHECK(run.at("rounds").at(1) == json{{"round", 1},
                                       {"seconds", 1.0},
                                       {"samples", 500},
                                       {"samples_per_second", 500.0},
                                       {"first_batch_ms", 10.0},
                                       {"cpu_share", 0.25},
                                       {"cpu_seconds_per_1000_samples", 1.0},
                                       {"peak_memory_mib", 3.0},
                                       {"others_share", nullptr},
                                       {"cpu_pressure", 0.5},
                                       {"restarts", 0}});
}

}  // namespace leat
