// leat-sweep: measures loading with different numbers of workers and recommends one.
#include <fmt/format.h>

#include <functional>
#include <string>

#include "leat/loader/sweep.h"
#include "tools/common/command_line.h"
#include "tools/common/text_file.h"
#include "tools/sweep/options.h"
#include "tools/sweep/report.h"
#include "tools/sweep/sample_costs.h"
#include "tools/sweep/swept_images.h"
#include "tools/sweep/what_if.h"

using namespace leat::detail;
using namespace leat::tools;

namespace {

void say(const std::string& line) {
  print_line(line);
}

// Prints each measurement when it arrives, on one line per round.
std::function<void(const leat::SweepRound&)> show_progress(const SweepOptions& options) {
  return [&options, measured = std::size_t{0}](const leat::SweepRound& round) mutable {
    const std::size_t place = measured++ % options.workers.size();
    print_text(progress(round, options.rounds, place == 0, place + 1 == options.workers.size()));
  };
}

void write_report(const SweptImages& images, const SweepOptions& options, const leat::SweepResult& result) {
  say("measuring where a sample's time goes");
  const StepTimes times = measure_steps(images);
  const auto predictions = what_if(images, options, result, times, say);
  write_text_file(options.report, to_html(result, {.costs = sample_costs(times), .what_if = predictions}));
  say(fmt::format("the report is in {}: open it in a browser", options.report));
}

void sweep(const SweepOptions& options) {
  for (const std::string& path : {options.json, options.report}) {
    if (!path.empty()) check_can_write(path);
  }
  ImageLocation location = find_images(options.data, say);
  location.allow_corrupt = options.allow_corrupt;
  location.allow_empty = options.allow_empty;
  const SweptImages images(location, options);
  say(fmt::format(
      "{}: {} images in batches of {}, {} x {} pixels; {} numbers of workers, {:.1f} s each, in {} rounds",
      options.data, images.dataset().size(), options.batch_size, options.image_size, options.image_size,
      options.workers.size(), options.seconds, options.rounds));
  const leat::SweepResult result = leat::sweep([&](int workers) { return images.loader(workers); },
                                               {.num_workers = options.workers,
                                                .rounds = options.rounds,
                                                .round_time = round_time(options),
                                                .data = describe_data(location, options),
                                                .on_round = show_progress(options)});
  say(table_header());
  for (const leat::SweepRun& run : result.runs) say(table_row(run));
  say(explain_table());
  say(recommendation(result));
  if (!options.json.empty()) write_text_file(options.json, to_json(result));
  if (!options.report.empty()) write_report(images, options, result);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("leat-sweep", [&] {
    if (const auto options = read_sweep_options(argc, argv)) sweep(*options);
  });
}
