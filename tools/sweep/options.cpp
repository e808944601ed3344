#include "tools/sweep/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "loader/base/cpus.h"
#include "tools/common/command_line.h"
#include "tools/common/data_source.h"
#include "tools/common/worker_count.h"

namespace leat::tools {
namespace {

constexpr const char* kAbout =
    "Measures loading with each number of workers and recommends one: the smallest within 5 % of the "
    "best.\n\n"
    "Each number is measured in a process of its own. samples/s counts what arrives after the first batch, "
    "for the\n"
    "given time, over as many epochs as fit. first batch is the time of the first call of next(), workers "
    "being up.\n"
    "CPU is the share used of all CPUs that may be used, and CPU s/1000 the seconds of CPU per 1000 samples, "
    "of the\n"
    "process and its workers, in the same time. peak memory is the largest sum of their proportional set "
    "sizes, slots\n"
    "included. Where the images were not in the page cache, the first measurement also waits for the disk: "
    "run twice.";

}  // namespace

std::optional<SweepOptions> read_sweep_options(int argc, const char* const* argv) {
  SweepOptions options;
  std::string workers = "auto", transform = "train", output = "u8";
  CLI::App app(kAbout, "leat-sweep");
  app.add_option("--data", options.data, fmt::format("What to load: {}", data_uri_help()))->required();
  app.add_option("--workers", workers,
                 "Numbers of workers, such as 0,1,2,4, or auto: up to the CPUs there are")
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
                 "u8: as decoded; f32: normalised and as [3, height, width], as the workers write it")
      ->check(CLI::IsMember({"u8", "f32"}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "How long to measure each number of workers")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the order and of the random crops")->capture_default_str();
  app.add_option("--json", options.json, "Write the results to this file, too");
  if (!read_command_line(app, argc, argv)) return std::nullopt;
  options.workers = parse_worker_list(workers, usable_cpus());
  options.augment = transform == "train";
  options.output = output == "f32" ? Output::f32 : Output::u8;
  return options;
}

}  // namespace leat::tools
