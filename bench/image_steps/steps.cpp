#include "bench/image_steps/steps.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/bare_decode.h"
#include "bench/figure.h"
#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/image/labeled_image.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/imagenet.h"
#include "leat/datasets/io/read_file.h"

namespace leat::bench {

using namespace detail;

namespace {

using Files = std::vector<std::vector<std::byte>>;

constexpr int kSize = 224;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// Returns microseconds of CPU time per image.
double time_of(const Files& files, const std::function<void(std::size_t)>& step) {
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < files.size(); ++i) step(i);
  return (cpu_seconds() - start) * 1e6 / double(files.size());
}

// One way to prepare images, in steps. The output is a row of a batch.
class Steps {
 public:
  Steps(const Files& files, TransformPipeline transforms)
      : files_(files),
        transforms_(std::move(transforms)),
        image_(transforms_),
        row_(image_.schema()[LabeledImage::kImage].row_bytes()) {}

  void plan(std::size_t i) {
    const Size size = decoder_.read_header(files_[i]);
    Rng rng = rng_of(i);
    resampler_.prepare(detail::plan(transforms_, size, rng).canvas.geometry());
  }

  void skip_to_region(std::size_t i) {
    plan(i);
    decoder_.start({resampler_.source_rows(), resampler_.source_columns()});
  }

  void decode_region(std::size_t i) {
    skip_to_region(i);
    for (int y = 0; y < resampler_.source_rows().size(); ++y) decoder_.next_row();
  }

  // Returns the region's pixels, for resample().
  ImageTile tile(std::size_t i) {
    plan(i);
    return decoder_.decode({resampler_.source_rows(), resampler_.source_columns()});
  }
  void resample(const ImageTile& tile) { resampler_.run(tile, output()); }

  void load(std::size_t i) {
    Rng rng = rng_of(i);
    ImageLoader::of_this_thread().load(files_[i], transforms_, {}, rng, output());
  }

  const std::vector<std::byte>& row() const { return row_; }

 private:
  static Rng rng_of(std::size_t i) { return Rng(1, 0, i); }
  PixelOutput output() { return image_.output(row_); }

  const Files& files_;
  TransformPipeline transforms_;
  LabeledImage image_;
  std::vector<std::byte> row_;
  ImageDecoder decoder_;
  Resampler resampler_;
};

constexpr std::array kNames{"header, plan, coefficients", "decoding down to the region",
                            "decoding the region", "resampling, written to the row",
                            "all of it (ImageLoader)"};

// Measures one round, in the order of kNames. Each of the first three measurements repeats the steps before it, whose
// time is subtracted.
std::array<double, kNames.size()> measure(const Files& files, Steps& steps) {
  const double plan = time_of(files, [&](std::size_t i) { steps.plan(i); });
  const double skip = time_of(files, [&](std::size_t i) { steps.skip_to_region(i); });
  const double decode = time_of(files, [&](std::size_t i) { steps.decode_region(i); });
  double resample = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ImageTile tile = steps.tile(i);
    const double start = cpu_seconds();
    steps.resample(tile);
    resample += cpu_seconds() - start;
  }
  const double all = time_of(files, [&](std::size_t i) { steps.load(i); });
  return {plan, skip - plan, decode - skip, resample * 1e6 / double(files.size()), all};
}

void check(const Files& files, Steps& steps) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    steps.resample(steps.tile(i));
    const std::vector<std::byte> by_steps = steps.row();
    steps.load(i);
    if (steps.row() != by_steps)
      throw std::runtime_error(fmt::format("image {}: the steps make other pixels", i));
  }
}

Files read_jpegs(const std::filesystem::path& folder) {
  const ImageFolder images(folder, CenterCrop{1});
  Files files;
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<std::byte> file;
    read_file(images.describe(i), std::size_t{1} << 30, file);
    if (file.size() > 2 && file[0] == std::byte{0xff}) files.push_back(std::move(file));
  }
  if (files.empty()) throw std::runtime_error("there are no JPEGs");
  return files;
}

struct Way {
  std::string name;
  Steps steps;
  std::array<std::vector<double>, kNames.size()> times{};
  std::vector<double> ratios{};  // the bare decoder's time, measured right after these, over ImageLoader's
};

std::vector<Way> ways_of(const Files& files) {
  const TransformPipeline train = RandomResizedCrop{kSize} | RandomHorizontalFlip{};
  std::vector<Way> ways;
  ways.push_back({"random-resized-crop, flip, u8", Steps(files, train)});
  const Interval scale{0.08, 1.0}, ratio{3.0 / 4.0, 4.0 / 3.0};
  ways.push_back({"the same, its filter reaching beyond the crop",
                  Steps(files, RandomResizedCrop(kSize, scale, ratio, Filter::bilinear, FilterReach::image) |
                                   RandomHorizontalFlip{})});
  ways.push_back({"random-resized-crop, flip, normalized f32",
                  Steps(files, train | Normalize{kImageNetMean, kImageNetStd})});
  ways.push_back({"resize 256, center crop, u8", Steps(files, Resize{256} | CenterCrop{kSize})});
  return ways;
}

}  // namespace

std::string measure_steps(const std::filesystem::path& folder, int rounds) {
  const Files files = read_jpegs(folder);
  std::vector<Way> ways = ways_of(files);
  for (Way& way : ways) check(files, way.steps);
  std::vector<double> bare;
  std::vector<unsigned char> rgb;
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) {
      const auto times = measure(files, way.steps);
      bare.push_back(time_of(files, [&](std::size_t i) { decode_whole(files[i], rgb); }));
      way.ratios.push_back(bare.back() / times.back());
      for (std::size_t step = 0; step < times.size(); ++step) way.times[step].push_back(times[step]);
    }
  }
  std::string text =
      fmt::format("{} images, CPU us per image, medians of {} rounds\nbare full decode: {:.0f}\n",
                  files.size(), rounds, median(bare));
  for (const Way& way : ways) {
    text += fmt::format("{}: {:.2f} times as fast as the bare decoder\n", way.name, median(way.ratios));
    for (std::size_t step = 0; step < kNames.size(); ++step)
      text += fmt::format("  {:<32} {:>6.0f}\n", kNames[step], median(way.times[step]));
  }
  return text;
}

}  // namespace leat::bench
