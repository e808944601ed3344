#include <nlohmann/json.hpp>

#include "leat/loader/sweep/chart.h"
#include "leat/loader/sweep_result.h"
#include "leat/version.h"

namespace leat {

using namespace detail;

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const Distribution& figures) {
  return {{"median", figures.median},
          {"lower_quartile", figures.lower_quartile},
          {"upper_quartile", figures.upper_quartile},
          {"lowest", figures.lowest},
          {"highest", figures.highest}};
}

ordered_json json_of(const SweepRound& round) {
  return {{"round", round.round},
          {"seconds", round.seconds},
          {"samples", round.samples},
          {"samples_per_second", round.samples_per_second()},
          {"first_batch_ms", round.first_batch_ms},
          {"cpu_share", round.cpu_share},
          {"cpu_seconds_per_1000_samples", round.cpu_seconds_per_1000_samples()},
          {"peak_memory_mib", static_cast<double>(round.peak_memory_bytes) / kMib},
          {"others_share", json_of(round.others_share)},
          {"cpu_pressure", json_of(round.cpu_pressure)},
          {"restarts", round.restarts}};
}

ordered_json json_of(const SweepRun& run) {
  ordered_json rounds = ordered_json::array();
  for (const SweepRound& round : run.rounds) rounds.push_back(json_of(round));
  return {{"num_workers", run.num_workers},
          {"samples_per_second", run.samples_per_second.median},
          {"samples_per_second_spread", json_of(run.samples_per_second)},
          {"first_batch_ms", run.first_batch_ms.median},
          {"first_batch_ms_spread", json_of(run.first_batch_ms)},
          {"cpu_share", run.cpu_share},
          {"cpu_seconds_per_1000_samples", run.cpu_seconds_per_1000_samples},
          {"peak_memory_mib", static_cast<double>(run.peak_memory_bytes) / kMib},
          {"others_share", json_of(run.others_share)},
          {"cpu_pressure", json_of(run.cpu_pressure)},
          {"restarts", run.restarts},
          {"trusted", run.trusted},
          {"rounds", std::move(rounds)}};
}

}  // namespace

std::string to_json(const SweepResult& result) {
  ordered_json runs = ordered_json::array();
  for (const SweepRun& run : result.runs) runs.push_back(json_of(run));
  ordered_json settings = ordered_json::object();
  for (const auto& [name, value] : result.data.settings) settings[name] = value;
  const ordered_json all{{"leat_version", LEAT_VERSION},
                         {"data",
                          {{"what", result.data.what},
                           {"samples", result.data.samples},
                           {"stored_bytes", result.data.stored_bytes ? ordered_json(*result.data.stored_bytes)
                                                                     : ordered_json(nullptr)},
                           {"bytes_per_sample", result.data.bytes_per_sample},
                           {"batch_size", result.data.batch_size},
                           {"settings", std::move(settings)}}},
                         {"machine",
                          {{"usable_cpus", result.machine.usable_cpus},
                           {"cpus", result.machine.cpus},
                           {"cpu_model", result.machine.cpu_model},
                           {"memory_bytes", result.machine.memory_bytes}}},
                         {"limits",
                          {{"others_share", result.limits.others_share},
                           {"spread", result.limits.spread},
                           {"rounds", result.limits.rounds}}},
                         {"seconds_per_round", result.seconds_per_round},
                         {"runs", std::move(runs)},
                         {"recommended_num_workers", result.recommended_num_workers},
                         {"trusted", result.trusted},
                         {"doubts", result.doubts}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace leat
