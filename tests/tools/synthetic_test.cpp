#include "tools/synthetic/synthetic.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "tools/synthetic/noise.h"

namespace leat::tools {

using namespace leat::detail;

TEST_CASE("the class names are ten, sorted and distinct") {
  const auto& names = synthetic_class_names();
  CHECK(names.size() == 10);
  CHECK(std::ranges::is_sorted(names));
  CHECK(std::ranges::adjacent_find(names) == names.end());
  for (std::uint64_t i = 0; i < 30; ++i) CHECK(synthetic_label(i) == std::int64_t(i % 10));
}

TEST_CASE("a generated file is a function of seed and index") {
  const auto file = synthetic_jpeg(3, 12);
  CHECK(file == synthetic_jpeg(3, 12));
  CHECK(file != synthetic_jpeg(4, 12));
  CHECK(file != synthetic_jpeg(3, 22));
}

TEST_CASE("generated images have the pixels they always had") {
  // FNV-1a over the pixels of one image of each class: all arithmetic is on integers, so these hold
  // everywhere. A change of the images is a new kSyntheticVersion.
  const std::uint64_t wanted[] = {
      0x7eba1ee167d4117c, 0x410501517726da8f, 0x4d6603a46afdc6e6, 0xafd6b1e4193fb50c, 0x1829a3917673fbbb,
      0x88cf92147e64fb6c, 0x0879bee545c92893, 0x4f8dbc927d90344d, 0x4b19de1acdd144dd, 0x93b988d50f814e52};
  for (std::uint64_t index = 0; index < 10; ++index) {
    const Image image = synthetic_image(1, index);
    const std::size_t bytes = image.view().row_bytes() * std::size_t(image.size().height);
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ image.view().data[i]) * 0x100000001b3u;
    INFO(synthetic_class_names()[index] << std::hex << " 0x" << hash);
    CHECK(hash == wanted[index]);
  }
}

TEST_CASE("generated files are as large as photographs") {
  JpegDecoder decoder;
  std::size_t bytes = 0;
  for (std::uint64_t index = 0; index < 30; ++index) {
    const auto file = synthetic_jpeg(1, index);
    INFO("index " << index << ": " << file.size() << " bytes");
    CHECK((file.size() > 40'000 && file.size() < 180'000));
    bytes += file.size();
    const Size size = decoder.read_header(file);
    CHECK((size.width >= 400 && size.width <= 600 && size.height >= 400 && size.height <= 600));
    decoder.decode({.rows = {0, size.height}, .columns = {0, size.width}});
  }
  CHECK((bytes / 30 > 70'000 && bytes / 30 < 115'000));
}

TEST_CASE("noise is smooth, centered, and joins seamlessly") {
  const FractalNoise noise(5, 1);
  std::vector<std::int32_t> row(6400), tail(3200);
  noise.add_row(0, 65536 / 64, 77777, 1000, row);
  noise.add_row(std::int64_t{50} * 65536, 65536 / 64, 77777, 1000, tail);
  CHECK(std::equal(tail.begin(), tail.end(), row.begin() + 3200));
  int steepest = 0;
  for (std::size_t i = 1; i < row.size(); ++i) steepest = std::max(steepest, std::abs(row[i] - row[i - 1]));
  CHECK(steepest <= 50);  // 2 amplitudes * the steepest slope 1.5 / 64 pixels, and rounding
  CHECK(std::abs(std::accumulate(row.begin(), row.end(), 0) / 6400) < 250);
  CHECK(std::ranges::max(row) > 300);
  CHECK(std::ranges::min(row) < -300);
}

}  // namespace leat::tools
