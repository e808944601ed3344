#include "loader/sweep/measurement.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "loader/base/cpus.h"
#include "loader/base/errors.h"
#include "loader/sweep/isolated.h"
#include "loader/sweep/machine_usage.h"
#include "loader/sweep/process_usage.h"

namespace leat {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::milliseconds kMemoryInterval(100);

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// Waits for the next batch, drops it, and returns its rows. Between epochs it goes on with the one that follows.
std::size_t take_batch(DataLoader& loader) {
  for (int epochs = 0; epochs < 2; ++epochs) {
    if (const auto batch = loader.next()) return batch->size();
  }
  throw ArgumentError(
      "a loader that has no batches cannot be measured: the dataset is empty, or smaller than a batch");
}

struct Marks {
  MachineMark machine;
  double own_cpu_seconds = 0;  // of the measured processes
  double all_cpu_seconds = 0;  // and of the one that waits for them
};

Marks mark(const MachineUsage& usage) {
  const double own = cpu_seconds(process_tree(::getpid()));
  return {
      .machine = usage.mark(), .own_cpu_seconds = own, .all_cpu_seconds = own + cpu_seconds({::getppid()})};
}

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::optional<double> share_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

// What others used, and how long tasks waited, between two marks.
void add_machine(json& figures, const Marks& before, const Marks& after, double usable) {
  const double seconds = seconds_between(before.machine.time, after.machine.time);
  std::optional<double> others, pressure;
  if (before.machine.busy_seconds && after.machine.busy_seconds) {
    others = others_share(*after.machine.busy_seconds - *before.machine.busy_seconds,
                          after.all_cpu_seconds - before.all_cpu_seconds, seconds,
                          static_cast<double>(affinity_mask().size()), usable);
  }
  if (before.machine.pressure_seconds && after.machine.pressure_seconds) {
    pressure = (*after.machine.pressure_seconds - *before.machine.pressure_seconds) / seconds;
  }
  figures["others_share"] = json_of(others);
  figures["cpu_pressure"] = json_of(pressure);
}

std::uint64_t restarts_of(const DataLoader& loader) {
  return loader.stats().restarts;
}

json measure_here(const MakeLoader& make_loader, int num_workers, std::chrono::milliseconds time) {
  const double usable = usable_cpus();  // before workers may have been given parts of it
  const MachineUsage usage;
  DataLoader loader = make_loader(num_workers);
  const auto first_call = Clock::now();
  take_batch(loader);
  const double first_batch_ms = seconds_between(first_call, Clock::now()) * 1000;

  const Marks before = mark(usage);
  std::uint64_t samples = 0;
  do samples += take_batch(loader);
  while (Clock::now() - before.machine.time < time);
  const Marks after = mark(usage);

  const double seconds = seconds_between(before.machine.time, after.machine.time);
  const double cpu = after.own_cpu_seconds - before.own_cpu_seconds;
  const BatchLayout& layout = loader.layout();
  json figures{{"seconds", seconds},
               {"samples", samples},
               {"first_batch_ms", first_batch_ms},
               {"cpu_seconds", cpu},
               {"cpu_share", cpu / (seconds * usable)},
               {"memory", pss_bytes(process_tree(::getppid()))},
               {"restarts", restarts_of(loader)},
               {"dataset_size", loader.state().dataset_size},
               {"batch_size", loader.state().batch_size},
               {"bytes_per_sample", layout.bytes() / std::max<std::size_t>(layout.capacity(), 1)}};
  add_machine(figures, before, after, usable);
  return figures;
}

}  // namespace

Measurement measure_loader(const MakeLoader& make_loader, int num_workers, std::chrono::milliseconds time) {
  std::size_t peak = 0;
  const auto watch = [&](int) { peak = std::max(peak, pss_bytes(process_tree(::getpid()))); };
  const json figures = json::parse(run_isolated(
      [&] { return measure_here(make_loader, num_workers, time).dump(); }, kMemoryInterval, watch));
  Measurement result;
  result.round = {.num_workers = num_workers,
                  .seconds = figures.at("seconds"),
                  .samples = figures.at("samples"),
                  .first_batch_ms = figures.at("first_batch_ms"),
                  .cpu_seconds = figures.at("cpu_seconds"),
                  .cpu_share = figures.at("cpu_share"),
                  .peak_memory_bytes = std::max(peak, figures.at("memory").get<std::size_t>()),
                  .restarts = figures.at("restarts"),
                  .others_share = share_of(figures.at("others_share")),
                  .cpu_pressure = share_of(figures.at("cpu_pressure"))};
  result.data = {.samples = figures.at("dataset_size"),
                 .batch_size = figures.at("batch_size"),
                 .bytes_per_sample = figures.at("bytes_per_sample")};
  return result;
}

}  // namespace leat
