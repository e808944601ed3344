#include "tools/sweep/measurement.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "loader/base/cpus.h"
#include "loader/data_loader.h"
#include "tools/common/image_set.h"
#include "tools/common/isolated.h"
#include "tools/common/process_usage.h"
#include "tools/common/transforms.h"

namespace leat::tools {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::milliseconds kMemoryInterval(50);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TransformPipeline transforms(const SweepOptions& options) {
  const auto geometry =
      options.augment ? training_transforms(options.image_size) : test_transforms(options.image_size);
  return options.output == Output::f32 ? geometry | normalize_images() : geometry;
}

// Waits for the next batch, drops it, and returns its rows; 0 at the end of an epoch.
std::size_t take_batch(DataLoader& loader) {
  const auto batch = loader.next();
  return batch ? batch->size() : 0;
}

json measure_here(const ImageLocation& location, const SweepOptions& options, int num_workers) {
  const ImageSet images(location, Part::all, transforms(options));
  DataLoader loader(images.dataset(), {.batch_size = options.batch_size,
                                       .shuffle = true,
                                       .num_workers = num_workers,
                                       .seed = options.seed,
                                       .on_warning = [](const std::string&) {
                                       }});  // trying more workers than CPUs is what a sweep is for

  const auto first_call = Clock::now();
  take_batch(loader);
  const double first_batch_seconds = seconds_since(first_call);

  const auto processes = process_tree(::getpid());
  const double cpu_before = cpu_seconds(processes);
  const auto start = Clock::now();
  std::size_t samples = 0;
  do samples += take_batch(loader);
  while (samples == 0 || seconds_since(start) < options.seconds);
  const double wall = seconds_since(start);
  const double cpu = cpu_seconds(processes) - cpu_before;

  return {{"samples_per_second", static_cast<double>(samples) / wall},
          {"first_batch_ms", first_batch_seconds * 1000},
          {"cpu_utilisation", cpu / (wall * usable_cpus())},
          {"cpu_seconds_per_1000_samples", cpu * 1000 / static_cast<double>(samples)}};
}

}  // namespace

Measurement measure(const ImageLocation& location, const SweepOptions& options, int num_workers) {
  std::size_t peak_bytes = 0;
  const std::string answer =
      run_isolated([&] { return measure_here(location, options, num_workers).dump(); }, kMemoryInterval,
                   [&](int pid) { peak_bytes = std::max(peak_bytes, pss_bytes(process_tree(pid))); });
  const json figures = json::parse(answer);
  return {.num_workers = num_workers,
          .samples_per_second = figures.at("samples_per_second"),
          .first_batch_ms = figures.at("first_batch_ms"),
          .cpu_utilisation = figures.at("cpu_utilisation"),
          .cpu_seconds_per_1000_samples = figures.at("cpu_seconds_per_1000_samples"),
          .peak_memory_mib = static_cast<double>(peak_bytes) / (1 << 20)};
}

}  // namespace leat::tools
