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
#include "transfer/prefetcher.h"

namespace leat::tools {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::milliseconds kMemoryInterval(50);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Batches in the form that was asked for, epoch after epoch.
class Feed {
 public:
  virtual ~Feed() = default;
  // Waits for the next batch, drops it, and returns its rows; 0 at the end of an epoch.
  virtual std::size_t next() = 0;
};

class RawFeed final : public Feed {
 public:
  explicit RawFeed(DataLoader& loader) : loader_(&loader) {}
  std::size_t next() override {
    const auto batch = loader_->next();
    return batch ? batch->size() : 0;
  }

 private:
  DataLoader* loader_;
};

class NormalizedFeed final : public Feed {
 public:
  explicit NormalizedFeed(DataLoader& loader)
      : stream_(host_device().make_stream()), prefetcher_(loader, host_device(), normalized_images()) {}
  std::size_t next() override {
    const auto batch = prefetcher_.next(stream_);
    if (!batch) return 0;
    stream_.ref().synchronize();
    return batch->size();
  }

 private:
  Stream stream_;
  Prefetcher prefetcher_;
};

std::unique_ptr<Feed> make_feed(DataLoader& loader, Output output) {
  if (output == Output::f32) return std::make_unique<NormalizedFeed>(loader);
  return std::make_unique<RawFeed>(loader);
}

json measure_here(const ImageLocation& location, const SweepOptions& options, int num_workers) {
  const ImageSet images(
      location, Part::all,
      options.augment ? training_transforms(options.image_size) : test_transforms(options.image_size));
  DataLoader loader(images.dataset(), {.batch_size = options.batch_size,
                                       .shuffle = true,
                                       .num_workers = num_workers,
                                       .seed = options.seed,
                                       .on_warning = [](const std::string&) {
                                       }});  // trying more workers than CPUs is what a sweep is for
  const auto feed = make_feed(loader, options.output);

  const auto first_call = Clock::now();
  feed->next();
  const double first_batch_seconds = seconds_since(first_call);

  const auto processes = process_tree(::getpid());
  const double cpu_before = cpu_seconds(processes);
  const auto start = Clock::now();
  std::size_t samples = 0;
  do samples += feed->next();
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
