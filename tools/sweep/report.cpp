#include "tools/sweep/report.h"

#include <fmt/format.h>

#include "leat/loader/sweep/chart.h"

namespace leat::tools {

using namespace detail;

std::string table_header() {
  return fmt::format("{:>7}  {:>10}  {:>6}  {:>14}  {:>5}  {:>6}  {:>7}  {:>10}  {:>15}", "workers",
                     "samples/s", "spread", "first batch ms", "CPU", "others", "waiting", "CPU s/1000",
                     "peak memory MiB");
}

std::string table_row(const SweepRun& run) {
  return fmt::format("{:>7}  {:>10.0f}  {:>6}  {:>14.1f}  {:>5}  {:>6}  {:>7}  {:>10.2f}  {:>15.1f}",
                     run.num_workers, run.samples_per_second.median,
                     percent(run.samples_per_second.relative_spread()), run.first_batch_ms.median,
                     percent(run.cpu_share), percent(run.others_share), percent(run.cpu_pressure),
                     run.cpu_seconds_per_1000_samples, static_cast<double>(run.peak_memory_bytes) / kMib);
}

std::string explain_table() {
  return "  samples/s        what arrives after the first batch; the median of the rounds\n"
         "  spread           from the lower to the upper quartile of the rounds, of the median\n"
         "  first batch      time of the first call of next(), workers being up; median\n"
         "  CPU              used by the loader, of all CPUs that may be used; median\n"
         "  others           used by other programs meanwhile, of the same CPUs (? where the kernel does not "
         "tell)\n"
         "  waiting          time in which some process of the machine, ours too, waited for a CPU\n"
         "  CPU s/1000       seconds of CPU for 1000 samples; median\n"
         "  peak memory      of the program and its workers, batches included, shared pages once; the "
         "greatest";
}

std::string recommendation(const SweepResult& result) {
  std::string text = fmt::format("recommended number of workers: {}", result.recommended_num_workers);
  if (result.trusted) return text + ", since no larger number is faster by more than the spread and 5 %";
  text += ". It is not to be relied on:";
  for (const std::string& doubt : result.doubts) text += fmt::format("\n  - {}", doubt);
  return text + "\nLeave the machine alone and sweep again, or measure longer (--seconds, --rounds).";
}

std::string progress(const SweepRound& round, int rounds, bool is_first_of_round, bool is_last_of_round) {
  return fmt::format(
      "{}{} worker{} {:.0f}{}",
      is_first_of_round ? fmt::format("round {} of {}, samples/s: ", round.round + 1, rounds) : "",
      round.num_workers, round.num_workers == 1 ? "" : "s", round.samples_per_second(),
      is_last_of_round ? "\n" : ", ");
}

}  // namespace leat::tools
