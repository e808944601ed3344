// leat-image-steps: measures the CPU time of each step of loading images.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/image_steps/steps.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/resample/resample.h"
#include "leat/datasets/io/read_file.h"
#include "tools/common/command_line.h"

namespace {

using namespace leat;
using namespace leat::detail;

Filter filter_named(std::string_view name) {
  for (const Filter filter : {Filter::box, Filter::bilinear, Filter::bicubic, Filter::lanczos}) {
    if (name_of(filter) == name) return filter;
  }
  throw leat::tools::UsageError(
      fmt::format("there is no filter '{}': give box, bilinear, bicubic or lanczos", name));
}

// Resamples the box of the image to the image's size.
void resample(const std::string& path, int left, int top, Size box, Filter filter, FilterReach reach,
              Image& image) {
  std::vector<std::byte> file;
  read_file(path, std::size_t{1} << 30, file);
  ImageDecoder decoder;
  Geometry geometry(decoder.read_header(file));
  geometry.crop(left, top, box);
  geometry.resize(image.size(), filter, reach);
  Resampler resampler;
  resampler.prepare(geometry);
  resampler.run(decoder.decode({resampler.source_rows(), resampler.source_columns()}), image.view());
}

void resize_all(Filter filter, FilterReach reach, Size size) {
  Image image(size);
  const std::size_t bytes = image.view().row_bytes() * static_cast<std::size_t>(size.height);
  int left = 0, top = 0;
  Size box;
  for (std::string path;
       std::cin >> left >> top >> box.width >> box.height && std::getline(std::cin >> std::ws, path);) {
    resample(path, left, top, box, filter, reach, image);
    if (std::fwrite(image.view().data, 1, bytes, stdout) != bytes) throw std::runtime_error("writing pixels");
  }
}

leat::tools::ProgramText manual_text() {
  return {.summary = "tells where the CPU time of images goes, step by step",
          .description =
              "Header, decoding, resampling, beside the bare decoder: of the images of FOLDER, in one "
              "thread, files being in "
              "memory.\n\nWith --resize, reads lines \"LEFT TOP WIDTH HEIGHT FILE\" from standard input, "
              "resamples that box of each image, and writes the pixels, RGB, one image behind the other, "
              "to standard output; tests/parity/pillow.py compares them with Pillow's. --crop does the same "
              "as if each box had been cut out before; tests/parity/torchvision_crops.py compares that with "
              "torchvision's.",
          .tables = {},
          .examples = {{"A folder of images", "leat-image-steps ~/data/flowers"}},
          .see_also = {"leat-bench", "leat-sweep"}};
}

void run(int argc, char** argv) {
  std::string folder;
  std::vector<std::string> resize, crop;
  int rounds = 5;
  CLI::App app("", "leat-image-steps");
  app.add_option("FOLDER", folder, "A folder of images")->type_name("FOLDER")->check(CLI::ExistingDirectory);
  app.add_option("ROUNDS,--rounds", rounds, "How often each step is measured")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--resize", resize, "Resample what standard input lists, to this size")
      ->type_name("FILTER WIDTH HEIGHT")
      ->expected(3);
  app.add_option("--crop", crop, "The same, as if each box had been cut out before")
      ->type_name("FILTER WIDTH HEIGHT")
      ->expected(3)
      ->excludes("--resize");
  if (!leat::tools::read_command_line(app, manual_text(), argc, argv)) return;
  const FilterReach reach = crop.empty() ? FilterReach::image : FilterReach::crop;
  if (!crop.empty()) resize = crop;
  if (resize.empty() == folder.empty()) {
    throw leat::tools::UsageError(
        "give FOLDER, or --resize or --crop FILTER WIDTH HEIGHT (see leat-image-steps --help)");
  }
  if (resize.empty()) return fmt::print("{}", bench::measure_steps(folder, rounds));
  const auto pixels = [&](std::size_t i) {
    if (const auto number = leat::tools::parse_number(resize[i], 1, 65'500)) return static_cast<int>(*number);
    throw leat::tools::UsageError(
        fmt::format("--resize: '{}' is no number of pixels from 1 to 65500", resize[i]));
  };
  resize_all(filter_named(resize[0]), reach, {pixels(1), pixels(2)});
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-image-steps", [&] { run(argc, argv); });
}
