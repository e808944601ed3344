#include "tools/sweep/sample_costs.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/combinators/scratch_sample.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/resample/resample.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "leat/datasets/subset.h"
#include "leat/loader/sweep/conclusion.h"
#include "tools/sweep/stored_images.h"

namespace leat::tools {

using namespace detail;

namespace {

constexpr std::size_t kMostImages = 256;
constexpr double kSecondsPerRound = 0.4;  // for get(); all steps together take about three times as long
constexpr int kRounds = 3;
constexpr std::size_t kAtATime = 16;

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kEpoch = 1;  // of the inline loader during the measurement

// Returns the inline loader's generator for the image at `position`, so that each step works on the same crop as the
// loader.
Rng rng_of(std::size_t position) {
  return Rng(kSeed, kEpoch, position);
}

// Images are identified by their index in the dataset. `position` is the position among the measured images.
class Steps {
 public:
  explicit Steps(const SweptImages& images)
      : images_(images),
        dataset_(images.dataset()),
        layout_(dataset_.schema()),
        stored_(open_stored_images(dataset_)) {}

  void get(std::size_t index, std::size_t position) const {
    const ScratchSample sample(dataset_.schema(), layout_);
    SampleWriter out = sample.writer();
    Rng rng = rng_of(position);
    dataset_.get(index, rng, out);
  }

  bool can_read() const noexcept { return stored_ != nullptr; }
  bool are_files() const noexcept { return stored_ && stored_->are_files(); }
  void read(std::size_t index) { bytes_ = stored_->read(index); }

  void read_open(const UniqueFd& file, std::size_t size) {
    buffer_.resize(size);
    if (::pread(file.get(), buffer_.data(), size, 0) < 0) throw_errno("pread of an image");
  }

  // Decodes what was read last.
  void decode(std::size_t position) {
    if (!is_decoded_file(bytes_)) return;
    const Size size = decoder_.read_header(bytes_, images_.decoding().limits);
    Rng rng = rng_of(position);
    resampler_.prepare(detail::plan(images_.transforms(), size, rng).canvas.geometry());
    decoder_.start({resampler_.source_rows(), resampler_.source_columns()});
    for (int row = 0; row < resampler_.source_rows().size(); ++row) decoder_.next_row();
  }

 private:
  const SweptImages& images_;
  const Dataset& dataset_;
  ScratchLayout layout_;
  std::unique_ptr<StoredImages> stored_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> buffer_;
  ImageDecoder decoder_;
  Resampler resampler_;
};

// Returns indices spread over the dataset, as many as get() can load in kSecondsPerRound.
std::vector<std::size_t> choose(const Dataset& dataset, const Steps& steps) {
  const std::vector<std::size_t> indices = spread_over(dataset.size(), kMostImages);
  const double start = thread_seconds();
  std::size_t had = 0;
  while (had < indices.size() && thread_seconds() - start < kSecondsPerRound) {
    steps.get(indices[had], had);
    ++had;
  }
  std::vector<std::size_t> chosen;
  for (const std::size_t i : spread_over(indices.size(), had)) chosen.push_back(indices[i]);
  return chosen;
}

// Measures all steps in turn, a few images at a time, so that all steps see the same load on the machine. At any
// moment the steps work on different images, so that no step finds in the CPU's caches what another has just read.
class Round {
 public:
  Round(const Dataset& dataset, Steps& steps, const std::vector<std::size_t>& indices)
      : dataset_(dataset),
        steps_(steps),
        indices_(indices),
        few_(dataset, indices),
        loader_(few_, {.batch_size = std::min(indices.size(), kAtATime),
                       .seed = kSeed,
                       .on_warning = [](const std::string&) {}}) {}  // the sweep has reported its warnings

  StepTimes measure() {
    while (loader_.next()) {  // allocates the pages of the slots
    }
    loader_.start_epoch(kEpoch);
    StepTimes times;
    for (std::size_t turn = 0; turn < loader_.size(); ++turn) {
      const double start = thread_seconds();
      loader_.next();
      times.deliver += thread_seconds() - start;
      times.sample +=
          time_of(turn + 1, [&](std::size_t position) { steps_.get(indices_[position], position); });
      if (!steps_.can_read()) continue;
      times.read += time_of(turn + 2, [&](std::size_t position) { steps_.read(indices_[position]); });
      times.read_open += steps_.are_files() ? time_open_files(turn + 3) : 0;
      times.decode += time_decoding(turn + 4);
    }
    if (!steps_.are_files()) times.read_open = times.read;
    const double scale = 1e6 / static_cast<double>(indices_.size());
    for (double* step : {&times.read, &times.read_open, &times.decode, &times.sample, &times.deliver})
      *step *= scale;
    return times;
  }

 private:
  // Returns the positions of the images of a turn.
  auto positions_of(std::size_t turn) const {
    const std::size_t first = turn % loader_.size() * loader_.layout().capacity();
    return std::views::iota(first, std::min(first + loader_.layout().capacity(), indices_.size()));
  }

  template <class Step>
  double time_of(std::size_t turn, Step&& step) const {
    const double start = thread_seconds();
    for (const std::size_t position : positions_of(turn)) step(position);
    return thread_seconds() - start;
  }

  double time_open_files(std::size_t turn) {
    double seconds = 0;
    for (const std::size_t position : positions_of(turn)) {
      const std::string path = dataset_.describe(indices_[position]);
      const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (file.get() < 0) throw_errno("open of '" + path + "'");
      const std::size_t bytes = std::filesystem::file_size(path);
      const double start = thread_seconds();
      steps_.read_open(file, bytes);
      seconds += thread_seconds() - start;
    }
    return seconds;
  }

  double time_decoding(std::size_t turn) {
    double seconds = 0;
    for (const std::size_t position : positions_of(turn)) {
      steps_.read(indices_[position]);
      const double start = thread_seconds();
      steps_.decode(position);
      seconds += thread_seconds() - start;
    }
    return seconds;
  }

  const Dataset& dataset_;
  Steps& steps_;
  const std::vector<std::size_t>& indices_;
  Subset few_;
  DataLoader loader_;
};

// Measures copies from memory that is too large for any cache.
double time_copies(const Dataset& dataset) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::size_t row = std::max<std::size_t>(1, BatchLayout(dataset.schema(), 1).bytes());
  const std::size_t rows = std::max<std::size_t>(1, kBytes / row);
  const std::vector<std::byte> samples(rows * row, std::byte{1});
  std::vector<std::byte> out(row);
  std::byte seen{0};
  const double start = thread_seconds();
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(i * row), row, out.begin());
    seen = std::max(seen, out[i % row]);  // otherwise the compiler might drop copies
  }
  if (seen != std::byte{1}) throw Error("a copy in memory differs");
  return (thread_seconds() - start) * 1e6 / static_cast<double>(rows);
}

}  // namespace

StepTimes measure_steps(const SweptImages& images) {
  Steps steps(images);
  const Dataset& dataset = images.dataset();
  const std::vector<std::size_t> indices = choose(dataset, steps);
  std::vector<StepTimes> rounds;
  for (int round = 0; round < kRounds; ++round) {
    rounds.push_back(Round(dataset, steps, indices).measure());
  }
  const auto median = [&](double StepTimes::*step) {
    std::vector<double> figures;
    for (const StepTimes& round : rounds) figures.push_back(round.*step);
    return distribution_of(std::move(figures)).median;
  };
  return {.read = median(&StepTimes::read),
          .read_open = median(&StepTimes::read_open),
          .decode = median(&StepTimes::decode),
          .sample = median(&StepTimes::sample),
          .deliver = median(&StepTimes::deliver),
          .copy = time_copies(dataset)};
}

std::vector<SampleCost> sample_costs(const StepTimes& times) {
  return {{"read", "the stored bytes, from the page cache", times.read},
          {"decode", "to pixels, as far as the transforms need them", times.decode},
          {"transform", "resampling and the other transforms, written to the batch",
           std::max(0.0, times.sample - times.read - times.decode)},
          {"collate", "what the loader does for a sample; it copies none",
           std::max(0.0, times.deliver - times.sample)}};
}

}  // namespace leat::tools
