#include "tools/sweep/what_if.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/cache.h"
#include "leat/datasets/combinators/scratch_sample.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/image_dataset.h"
#include "leat/datasets/open.h"
#include "leat/datasets/record_writer.h"
#include "leat/datasets/subset.h"
#include "leat/loader/sweep/chart.h"
#include "leat/loader/sweep/measurement.h"
#include "tools/sweep/prediction.h"
#include "tools/sweep/stored_images.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostImages = 2000;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr int kFewestTrials = 3;

// A temporary folder, which is removed with its contents.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = fs::temp_directory_path() / "leat-sweep-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw_errno("mkdtemp of '" + name + "'");
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

// Writes records of these images.
void write_records(const RecordConversion& source, const fs::path& folder,
                   const std::vector<std::size_t>& indices) {
  RecordWriter writer(folder, source.schema(), {.zstd = RecordWriterOptions::Zstd::off});
  for (const std::size_t index : indices) writer.add(source.read(index));
  writer.finish();
}

class Check {
 public:
  Check(const SweptImages& images, const SweepOptions& options, const SweepResult& result)
      : images_(images), options_(options), result_(result) {}

  std::vector<Trial> compare(const Dataset& before, const Dataset& after) const {
    const std::chrono::milliseconds time = round_time(options_);
    const auto measured = [&](const Dataset& dataset) {
      return measure_loader([&](int workers) { return images_.loader_of(dataset, workers); },
                            result_.recommended_num_workers, time)
          .round;
    };
    measured(before), measured(after);  // from here on, the images they read are in memory
    std::vector<Trial> trials;
    for (int round = 0; round < std::max(options_.rounds, kFewestTrials); ++round) {
      Trial trial;
      if (round % 2 == 0) trial.before = measured(before);
      trial.after = measured(after);
      if (round % 2 == 1) trial.before = measured(before);
      trials.push_back(trial);
    }
    return trials;
  }

 private:
  const SweptImages& images_;
  const SweepOptions& options_;
  const SweepResult& result_;
};

void check_records(WhatIf& what_if, const SweptImages& images, const Check& check,
                   const SweepLimits& limits) {
  const ScratchFolder scratch;
  const std::vector<std::size_t> indices = spread_over_files(images.dataset(), kMostImages, kMostBytes);
  write_records(RecordConversion(images.source()), scratch.path() / "records", indices);
  const Subset files(images.dataset(), indices);
  const ImageDataset records(leat::open_source("leat:" + (scratch.path() / "records").string()),
                             images.transforms(), {.decode = images.decoding()});
  add_measurement(what_if, check.compare(files, records), limits);
}

void check_cache(WhatIf& what_if, std::size_t bytes_per_sample, const SweptImages& images, const Check& check,
                 const SweepLimits& limits) {
  const std::size_t room = std::max<std::size_t>(1, kMostBytes / std::max<std::size_t>(1, bytes_per_sample));
  const Subset some(images.dataset(), spread_over(images.dataset().size(), std::min(kMostImages, room)));
  const Cache cached(some, 2 * kMostBytes);
  const ScratchLayout layout(some.schema());
  for (std::size_t i = 0; i < some.size(); ++i) {  // fills the cache, which the measuring processes share
    const ScratchSample sample(some.schema(), layout);
    SampleWriter out = sample.writer();
    Rng rng(0, 0, i);
    cached.get(i, rng, out);
  }
  add_measurement(what_if, check.compare(some, cached), limits);
}

WhatIf records_instead(double now, const StepTimes& times) {
  const double after = cost_from_records(times);
  return {.change = "Leat records instead of files",
          .meaning = fmt::format(
              "Opening and closing an image's file takes {} of its {} µs of CPU; records are opened "
              "once. (leat-convert makes them. Files that are not in memory gain more.)",
              in_words(times.deliver - after), in_words(times.deliver)),
          .now = now,
          .predicted = predict_throughput(now, times.deliver, after)};
}

WhatIf cache(double now, const StepTimes& times, const SweepResult& result, bool is_random) {
  const double needed =
      static_cast<double>(result.data.samples) * static_cast<double>(result.data.bytes_per_sample);
  return {.change = "Finished samples kept in memory (Cache)",
          .meaning = fmt::format(
              "Copying a sample takes {} µs, making it {} µs. All samples take {} MiB, of {} MiB "
              "that are free.{}",
              in_words(times.copy), in_words(times.sample), in_words(needed / kMib),
              in_words(static_cast<double>(available_memory()) / kMib),
              is_random ? " Random transforms would come out the same in every epoch, so one would "
                          "keep the images before them: this is a bound, not a promise."
                        : ""),
          .now = now,
          .predicted = predict_throughput(now, times.deliver, cost_from_cache(times))};
}

WhatIf more_cpus(double now, const SweepResult& result) {
  const double predicted = predict_cpus(result, 2);
  return {.change = "Twice as many CPUs and workers",
          .meaning = predicted > now
                         ? "The CPUs are the limit: twice the throughput, if storage and memory keep up."
                         : "The CPUs are not the limit: the recommended number of workers leaves them idle "
                           "for more than a fifth of the time.",
          .now = now,
          .predicted = predicted};
}

}  // namespace

std::vector<WhatIf> what_if(const SweptImages& images, const SweepOptions& options, const SweepResult& result,
                            const StepTimes& times, const Say& say) {
  const double now = result.recommended().samples_per_second.median;
  const Check check(images, options, result);
  std::vector<WhatIf> all;
  const auto stored = open_stored_images(images.dataset());
  if (stored && stored->are_files()) {
    say("checking what leat records instead of files would change");
    all.push_back(records_instead(now, times));
    check_records(all.back(), images, check, result.limits);
  }
  all.push_back(cache(now, times, result, options.augment));
  if (all.size() == 1) {
    say("checking what a cache would change");
    check_cache(all.back(), result.data.bytes_per_sample, images, check, result.limits);
  }
  all.push_back(more_cpus(now, result));
  return all;
}

}  // namespace leat::tools
