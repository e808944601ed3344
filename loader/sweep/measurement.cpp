#include "leat/loader/sweep/measurement.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "leat/datasets/errors.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/sweep/isolated.h"
#include "leat/loader/sweep/machine_usage.h"
#include "leat/loader/sweep/process_usage.h"

namespace leat::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMemoryInterval(100);

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// Waits for the next batch, drops it, and returns its number of rows. At the end of an epoch, goes on with the next
// one.
std::size_t take_batch(DataLoader& loader) {
  for (int epochs = 0; epochs < 2; ++epochs) {
    if (const auto batch = loader.next()) return batch->size();
  }
  throw Error(
      "a loader that has no batches cannot be measured: the dataset is empty, or smaller than a batch");
}

struct Marks {
  MachineMark machine;
  double own_cpu_seconds = 0;  // of the measured processes
  double all_cpu_seconds = 0;  // of these and of the process that waits for them
};

Marks mark(const MachineUsage& usage) {
  const double own = cpu_seconds(process_tree(::getpid()));
  return {
      .machine = usage.mark(), .own_cpu_seconds = own, .all_cpu_seconds = own + cpu_seconds({::getppid()})};
}

// The result that the measuring process sends to the waiting process. It is sent as raw bytes, since both processes
// run the same program.
struct Figures {
  SweepRound round;
  std::size_t samples = 0;  // size of the dataset
  std::size_t batch_size = 0;
  std::size_t bytes_per_sample = 0;
};
static_assert(std::is_trivially_copyable_v<Figures>);

std::string bytes_of(const Figures& figures) {
  return {reinterpret_cast<const char*>(&figures), sizeof figures};
}

Figures figures_from(const std::string& bytes) {
  Figures figures;
  if (bytes.size() != sizeof figures) throw Error("a measuring process handed over figures of another size");
  std::memcpy(&figures, bytes.data(), sizeof figures);
  return figures;
}

// Adds to `round` what other programs used, and how long tasks waited, between two marks.
void add_machine(SweepRound& round, const Marks& before, const Marks& after, double usable) {
  const double seconds = seconds_between(before.machine.time, after.machine.time);
  if (before.machine.busy_seconds && after.machine.busy_seconds) {
    round.others_share = others_share(*after.machine.busy_seconds - *before.machine.busy_seconds,
                                      after.all_cpu_seconds - before.all_cpu_seconds, seconds,
                                      static_cast<double>(affinity_mask().size()), usable);
  }
  if (before.machine.pressure_seconds && after.machine.pressure_seconds) {
    round.cpu_pressure = (*after.machine.pressure_seconds - *before.machine.pressure_seconds) / seconds;
  }
}

Figures measure_here(const MakeLoader& make_loader, int num_workers, std::chrono::milliseconds time) {
  const double usable = usable_cpus();  // before workers may restrict themselves to parts of these CPUs
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
  const LoaderState state = loader.state();
  Figures figures{.round = {.num_workers = num_workers,
                            .seconds = seconds,
                            .samples = samples,
                            .first_batch_ms = first_batch_ms,
                            .cpu_seconds = cpu,
                            .cpu_share = cpu / (seconds * usable),
                            .peak_memory_bytes = pss_bytes(process_tree(::getppid())),
                            .restarts = loader.stats().restarts},
                  .samples = state.dataset_size,
                  .batch_size = state.batch_size,
                  .bytes_per_sample = layout.bytes() / std::max<std::size_t>(layout.capacity(), 1)};
  add_machine(figures.round, before, after, usable);
  return figures;
}

}  // namespace

Measurement measure_loader(const MakeLoader& make_loader, int num_workers, std::chrono::milliseconds time) {
  std::size_t peak = 0;
  const auto watch = [&](int) { peak = std::max(peak, pss_bytes(process_tree(::getpid()))); };
  const Figures figures = figures_from(run_isolated(
      [&] { return bytes_of(measure_here(make_loader, num_workers, time)); }, kMemoryInterval, watch));
  Measurement result{.round = figures.round,
                     .data = {.samples = figures.samples,
                              .batch_size = figures.batch_size,
                              .bytes_per_sample = figures.bytes_per_sample}};
  result.round.peak_memory_bytes = std::max(peak, result.round.peak_memory_bytes);
  return result;
}

}  // namespace leat::detail
