#include "leat/datasets/image/image_loader.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

Image load(std::span<const std::byte> jpeg, const TransformPipeline& transforms, Size size,
           const DecodeOptions& options = {}) {
  Image out(size);
  Rng rng(1, 1, 1);
  ImageLoader::of_this_thread().load(jpeg, transforms, options, rng, out.view());
  return out;
}

Image load(ImageView pixels, const TransformPipeline& transforms, Size size) {
  Image out(size);
  Rng rng(1, 1, 1);
  ImageLoader::of_this_thread().load(pixels, transforms, rng, out.view());
  return out;
}

bool equal(const Image& a, const Image& b) {
  if (a.size() != b.size()) return false;
  for (int y = 0; y < a.size().height; ++y) {
    if (!std::equal(a.view().row(y), a.view().row(y) + a.view().row_bytes(), b.view().row(y))) return false;
  }
  return true;
}

// Every kind of transform: with borders that are seen, without, of pixels alone.
std::vector<TransformPipeline> pipelines() {
  const TransformPipeline edits = ColorJitter{0.4, 0.4, 0.4, 0.1} | RandAugment{3} | RandomErasing{1};
  return {RandomResizedCrop{24} | RandomHorizontalFlip{} | edits,
          Resize(20, 20) | RandomCrop(24, {.padding = 5, .fill = {90, 80, 70}}) | edits,
          Resize(20, 20) | Pad{2, {1, 2, 3}, PaddingMode::reflect},
          CenterCrop{24} | RandomEqualize{1} | RandomAdjustSharpness(2, 1)};
}

// The position of the corner whose name ("tl": top left) is the one of that number in `names`.
Size corner(Size size, std::string_view names, int number) {
  const std::string_view name = names.substr(static_cast<std::size_t>(3 * (number - 1)), 2);
  return {name[1] == 'l' ? 0 : size.width - 1, name[0] == 't' ? 0 : size.height - 1};
}

}  // namespace

TEST_CASE("a loaded image is what the transforms make of it") {
  const auto jpeg = encode_jpeg(image_of({200, 120}, ramp).view(), {100, ChromaSampling::full});
  const Image image = load(jpeg, Resize{60} | CenterCrop{40} | RandomHorizontalFlip{1}, {40, 40});
  // Resize halves; the crop starts at (30, 10); output x shows column 39 - x of it, the mean of two source
  // columns.
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      const std::uint8_t* pixel = image.view().pixel(x, y);
      REQUIRE(std::abs(pixel[0] - (2 * (30 + 39 - x))) <= 4);
      REQUIRE(std::abs(pixel[1] - (2 * (10 + y))) <= 4);
    }
  }
}

TEST_CASE("a row of the wrong size is refused") {
  const auto jpeg = encode_jpeg(image_of({200, 120}, ramp).view());
  expect_error<ArgumentError>([&] { load(jpeg, CenterCrop{40}, {40, 41}); }, {"40 x 41", "40 x 40"});
}

TEST_CASE("normalized pixels are the u8 ones, scaled, plane after plane") {
  const auto jpeg = encode_jpeg(image_of({90, 70}, formula).view());
  const TransformPipeline transforms = RandomResizedCrop{37} | RandomHorizontalFlip{};
  const Image plain = load(jpeg, transforms, {37, 37});
  const std::array<float, 3> mean{0.485F, 0.25F, 0}, std{0.229F, 0.5F, 1};
  const TransformPipeline normalized = transforms | Normalize{mean, std};
  std::vector<float> planes(3 * 37 * 37);
  Rng rng(1, 1, 1);
  ImageLoader::of_this_thread().load(jpeg, normalized, {}, rng,
                                     ScaledPlanes{planes.data(), {37, 37}, *scale_of(normalized)});
  for (int c = 0; c < 3; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const float scale = static_cast<float>(1.0 / (255.0 * std[i])), bias = -mean[i] / std[i];
    for (int y = 0; y < 37; ++y) {
      for (int x = 0; x < 37; ++x) {
        const auto at = static_cast<std::size_t>((c * 37 + y) * 37 + x);
        REQUIRE(planes[at] == std::fma(float(plain.view().pixel(x, y)[c]), scale, bias));
      }
    }
  }
}

TEST_CASE("a reducing gap decodes large images at a part of their size, about the same") {
  const auto jpeg = encode_jpeg(image_of({256, 248}, ramp).view(), {100, ChromaSampling::full});
  const Image exact = load(jpeg, Resize(31, 32), {32, 31});
  for (const double gap : {1.0, 2.0, 3.0}) {
    const Image reduced = load(jpeg, Resize(31, 32), {32, 31}, {.reducing_gap = gap});
    for (int y = 0; y < 31; ++y) {
      for (int x = 0; x < 32 * 3; ++x)
        REQUIRE(std::abs(reduced.view().row(y)[x] - exact.view().row(y)[x]) <= 3);
    }
  }
}

TEST_CASE("images are turned upright on request, each orientation its way") {
  const Image stored = image_of({48, 32}, ramp);
  const Bytes jpeg = encode_jpeg(stored.view(), {100, ChromaSampling::full});
  for (int number = 1; number <= 8; ++number) {
    INFO("orientation " << number);
    const Size size = number < 5 ? Size{48, 32} : Size{32, 48};
    const Image turned = load(with_exif(jpeg, number, number % 2 == 0), Resize(size.height, size.width), size,
                              {.exif_orientation = true});
    // Where the stored image's first pixel, and the last of its first row, are to be seen (EXIF: "the 0th
    // row is at the visual top, right, ..., the 0th column at the visual left, top, ...").
    const Size first = corner(size, "tl tr br bl tl tr br bl", number);
    const Size second = corner(size, "tr tl bl br bl br tr tl", number);
    CHECK(std::abs(turned.view().pixel(first.width, first.height)[0] - 0) <= 3);
    CHECK(std::abs(turned.view().pixel(first.width, first.height)[1] - 0) <= 3);
    CHECK(std::abs(turned.view().pixel(second.width, second.height)[0] - 47) <= 3);
    CHECK(std::abs(turned.view().pixel(second.width, second.height)[1] - 0) <= 3);
    const Image as_stored = load(with_exif(jpeg, number, true), Resize(32, 48), {48, 32});
    CHECK(std::abs(as_stored.view().pixel(47, 0)[0] - 47) <= 3);
  }
}

TEST_CASE("a crop of a turned image is that crop of the upright one") {
  const Bytes jpeg = encode_jpeg(image_of({90, 70}, formula).view(), {100, ChromaSampling::half});
  for (int number = 1; number <= 8; ++number) {
    INFO("orientation " << number);
    const Size size = number < 5 ? Size{90, 70} : Size{70, 90};
    const Bytes turned = with_exif(jpeg, number, true);
    const Image whole = load(turned, Resize(size.height, size.width), size, {.exif_orientation = true});
    const Image part = load(turned, CenterCrop{30, 20}, {20, 30}, {.exif_orientation = true});
    const int left = (size.width - 20) / 2, top = (size.height - 30) / 2;
    for (int y = 0; y < 30; ++y) {
      REQUIRE(std::equal(part.view().row(y), part.view().row(y) + 60, whole.view().pixel(left, top + y)));
    }
  }
}

TEST_CASE("borders and edits come behind resampling, in the order in which they stand") {
  const Image source = image_of({40, 30}, formula);
  const Image got = load(
      source.view(),
      CenterCrop(20, 22) | Pad{{1, 2}, {40, 50, 60}} | RandomInvert{1} | RandomSolarize(128, 1), {24, 24});
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 24; ++x) {
      const bool inside = x >= 1 && x < 23 && y >= 2 && y < 22;
      for (int c = 0; c < 3; ++c) {
        const int before = inside ? formula(9 + x - 1, 5 + y - 2, c) : 40 + 10 * c;
        const int inverted = 255 - before;
        REQUIRE(got.view().pixel(x, y)[c] == (inverted >= 128 ? 255 - inverted : inverted));
      }
    }
  }
}

TEST_CASE("pixels that a JPEG file holds and the same pixels stored give the same bytes") {
  const Bytes jpeg = encode_jpeg(image_of({60, 48}, formula).view(), {90, ChromaSampling::half});
  const Image decoded = load(jpeg, TransformPipeline(), {60, 48});
  for (const TransformPipeline& transforms : pipelines()) {
    const Size size = *transforms.output_size();
    CHECK(equal(load(jpeg, transforms, size), load(decoded.view(), transforms, size)));
  }
}

TEST_CASE("with edits and borders, too, normalized pixels are the u8 ones, scaled") {
  const Image source = image_of({60, 48}, formula);
  const Normalize normalize({0.485F, 0.25F, 0}, {0.229F, 0.5F, 1});
  for (const TransformPipeline& transforms : pipelines()) {
    const Size size = *transforms.output_size();
    const Image plain = load(source.view(), transforms, size);
    const TransformPipeline normalized = transforms | normalize;
    std::vector<float> planes(static_cast<std::size_t>(size.width * size.height) * 3);
    Rng rng(1, 1, 1);
    const ChannelScale scale = *scale_of(normalized);
    ImageLoader::of_this_thread().load(source.view(), normalized, rng,
                                       ScaledPlanes{planes.data(), size, scale});
    auto value = planes.begin();
    for (std::size_t c = 0; c < 3; ++c) {
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x)
          REQUIRE(*value++ == std::fma(float(plain.view().pixel(x, y)[c]), scale.scale[c], scale.bias[c]));
      }
    }
  }
}

TEST_CASE("a row of the wrong size is refused where borders or edits come behind, too") {
  const Image source = image_of({60, 48}, formula);
  expect_error<ArgumentError>(
      [&] {
        load(source.view(), CenterCrop{24} | Pad{1}, {24, 24});
      },
      {"24 x 24", "26 x 26"});
  expect_error<ArgumentError>(
      [&] {
        load(source.view(), CenterCrop{24} | Grayscale{}, {24, 25});
      },
      {"24 x 25", "24 x 24"});
}

}  // namespace leat::test
