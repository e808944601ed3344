// leat-picture-steps FOLDER [ROUNDS]: where the time of the folder's pictures goes, step by step.
//
// leat-picture-steps --resize FILTER WIDTH HEIGHT: reads lines "LEFT TOP WIDTH HEIGHT FILE" from standard input,
// resamples that box of each picture, and writes the pixels, RGB, one picture behind the other, to standard output;
// for tests/parity/pillow.py.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/picture_steps/steps.h"
#include "datasets/image/picture_decoder.h"
#include "datasets/image/resample.h"
#include "datasets/read_file.h"

namespace {

using namespace leat;

Filter filter_named(std::string_view name) {
  for (const Filter filter : {Filter::box, Filter::bilinear, Filter::bicubic, Filter::lanczos}) {
    if (name_of(filter) == name) return filter;
  }
  throw std::runtime_error(fmt::format("there is no filter '{}'", name));
}

// The box of the picture, resampled to the image's size.
void resample(const std::string& path, int left, int top, Size box, Filter filter, Image& image) {
  std::vector<std::byte> file;
  read_file(path, std::size_t{1} << 30, file);
  PictureDecoder decoder;
  Geometry geometry(decoder.read_header(file));
  geometry.crop(left, top, box);
  geometry.resize(image.size(), filter);
  Resampler resampler;
  resampler.prepare(geometry);
  resampler.run(decoder.decode({resampler.source_rows(), resampler.source_columns()}), image.view());
}

void resize_all(Filter filter, Size size) {
  Image image(size);
  const std::size_t bytes = image.view().row_bytes() * static_cast<std::size_t>(size.height);
  int left = 0, top = 0;
  Size box;
  for (std::string path;
       std::cin >> left >> top >> box.width >> box.height && std::getline(std::cin >> std::ws, path);) {
    resample(path, left, top, box, filter, image);
    if (std::fwrite(image.view().data, 1, bytes, stdout) != bytes) throw std::runtime_error("writing pixels");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 4 && arguments[0] == "--resize") {
      resize_all(filter_named(arguments[1]), {std::stoi(arguments[2]), std::stoi(arguments[3])});
    } else if (arguments.size() == 1 || arguments.size() == 2) {
      fmt::print("{}",
                 bench::measure_steps(arguments[0], arguments.size() == 2 ? std::stoi(arguments[1]) : 5));
    } else {
      fmt::print(stderr, "usage: leat-picture-steps FOLDER [ROUNDS], or --resize FILTER WIDTH HEIGHT\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "leat-picture-steps: {}\n", error.what());
    return 1;
  }
}
