#include "tools/sweep/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "leat/loader/os/cpus.h"
#include "tools/common/command_line.h"
#include "tools/common/worker_count.h"
#include "tools/sweep/manual_text.h"

namespace leat::tools {

using namespace detail;

namespace {

constexpr const char* kAbout =
    "Measures loading with each number of workers, in several rounds, and recommends a number: no larger one "
    "is faster\nby more than the spread of the rounds and by more than 5 %.\n\n"
    "Each round measures every number, each in a process of its own, in another order. What other programs "
    "use of the\nCPUs meanwhile stands beside each number. If that is more than 10 %, or the rounds spread "
    "over more than "
    "10 %, the\nresult is \"not to be relied on\". The table that is printed is explained below it; "
    "docs/sweep.md tells more.";

}  // namespace

std::optional<SweepOptions> read_sweep_options(int argc, const char* const* argv) {
  SweepOptions options;
  std::string workers = "auto", transform = "train", output = "u8";
  CLI::App app(kAbout, "leat-sweep");
  app.add_option("--data", options.data, "What to load, a data URI: see below")->type_name("URI")->required();
  app.add_option("--num-workers,--workers", workers,
                 "Numbers of workers, such as 0,1,2,4, or auto: up to the CPUs there are")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size, "Samples per batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--image-size", options.image_size, "Height and width of the images that arrive, in pixels")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  app.add_option(
         "--transform", transform,
         "train: random crop resized to the image size, and flip; val: the short side resized to 8/7 of the "
         "image size, and the middle")
      ->check(CLI::IsMember({"train", "val"}))
      ->capture_default_str();
  app.add_option("--output", output,
                 "u8: as decoded; f32: normalized and as [3, height, width], as the workers write it")
      ->check(CLI::IsMember({"u8", "f32"}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds,
                 "How long to measure each number of workers, in all rounds together")
      ->check(number_between(0.1, 86400))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "In how many rounds; the spread is known from 3 on")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the order and of the random crops")->capture_default_str();
  add_leniency(app, options.allow_corrupt, options.allow_empty);
  app.add_option("--json", options.json, "Write the results to this file, too")->type_name("FILE");
  app.add_option(
         "--report", options.report,
         "Write a page for a browser to this file: charts of the results, where a sample's time goes, and "
         "what another format, a cache or more CPUs would change (takes some seconds more)")
      ->type_name("FILE");
  if (!read_command_line(app, sweep_manual(), argc, argv)) return std::nullopt;
  options.workers = parse_worker_list(workers, usable_cpus());
  options.augment = transform == "train";
  options.output = output == "f32" ? Output::f32 : Output::u8;
  return options;
}

std::chrono::milliseconds round_time(const SweepOptions& options) {
  return std::chrono::milliseconds(std::max(1L, std::lround(options.seconds * 1000 / options.rounds)));
}

}  // namespace leat::tools
