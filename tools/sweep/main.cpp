// leat-sweep: how many workers?
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "tools/common/command_line.h"
#include "tools/common/text_file.h"
#include "tools/sweep/measurement.h"
#include "tools/sweep/options.h"
#include "tools/sweep/report.h"

using namespace leat::tools;

namespace {

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void sweep(const SweepOptions& options) {
  if (!options.json.empty()) check_can_write(options.json);
  const ImageLocation location = find_images(options.data, say);
  say(fmt::format("{}: batches of {}, {} x {} pixels, {:.1f} s for each number of workers", options.data,
                  options.batch_size, options.image_size, options.image_size, options.seconds));
  say(table_header());
  std::vector<Measurement> runs;
  for (const int workers : options.workers) {
    runs.push_back(measure(location, options, workers));
    say(table_row(runs.back()));
  }
  say(fmt::format("recommended number of workers: {}, the smallest within 5 % of the best",
                  recommended_workers(runs)));
  if (!options.json.empty()) write_text_file(options.json, to_json(runs));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("leat-sweep", [&] {
    if (const auto options = read_sweep_options(argc, argv)) sweep(*options);
  });
}
