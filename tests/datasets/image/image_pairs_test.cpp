// What is left of one image when the next one comes: nothing.
#include <malloc.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/image_loader.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/sample_images.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Result {
  std::string error;
  std::vector<std::uint8_t> pixels;  // none after an error

  friend bool operator==(const Result&, const Result&) = default;
};

constexpr Size kOutput{24, 20};

const TransformPipeline& pipeline(std::size_t number) {
  static const std::array<TransformPipeline, 4> kPipelines{
      RandomResizedCrop{24} | RandomCrop(20, 24) | RandomHorizontalFlip{} | ColorJitter{0.4, 0.4, 0.4, 0.1},
      Resize(20, 24), CenterCrop(20, 24) | RandAugment{},
      Resize(16, 20) | RandomCrop(20, 24, {.padding = 4, .fill = {90, 80, 70}})};
  return kPipelines[number % kPipelines.size()];
}

// Which transforms and options an image gets depends on its number alone.
Result load(ImageLoader& loader, const Bytes& file, std::size_t number) {
  const JpegLimits limits{.max_pixels = 1 << 16,
                          .max_decoder_bytes = std::size_t{1} << 20,
                          .max_scans = 20,
                          .allow_corrupt = number % 3 == 0};
  const DecodeOptions options{
      .limits = limits, .exif_orientation = number % 2 == 0, .reducing_gap = number % 5 == 0 ? 1.0 : 0.0};
  std::vector<std::uint8_t> pixels(std::size_t{kOutput.width} * kOutput.height * kChannels);
  Rng rng(1, 2, number);
  try {
    loader.load(file, pipeline(number), options, rng,
                MutableImageView{pixels.data(), kOutput, std::ptrdiff_t{kOutput.width} * kChannels});
  } catch (const Error& error) {
    return {error.what(), {}};
  }
  return {{}, std::move(pixels)};
}

// Memory that comes from malloc() holds this byte: what nobody wrote differs from one call to the next.
void fill_fresh_memory(Rng& rng) {
  mallopt(M_PERTURB, static_cast<int>(1 + rng.below(255)));
}

// Each of a pair, first and second, has the result that it has by itself. One loader serves all pairs.
void check_pairs(std::size_t pairs, std::size_t images, std::uint64_t seed) {
  Rng rng(seed, 0, 0);
  const std::vector<Bytes> files = sample_images(images, rng);
  std::vector<Result> alone;
  std::size_t sound = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ImageLoader fresh;
    fill_fresh_memory(rng);
    alone.push_back(load(fresh, files[i], i));
    sound += alone.back().error.empty();
  }
  REQUIRE(sound > images / 4);
  REQUIRE(sound < images - images / 8);
  ImageLoader loader;
  std::size_t different = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::size_t before = files.size();
    for (const std::size_t i : {rng.below(files.size()), rng.below(files.size())}) {
      fill_fresh_memory(rng);
      if (load(loader, files[i], i) != alone[i] && ++different <= 3) {
        UNSCOPED_INFO("seed " << seed << ", pair " << pair << ": image " << i << " after " << before);
      }
      before = i;
    }
  }
  mallopt(M_PERTURB, 0);
  CHECK(different == 0);
}

Bytes jpeg_of(int level, int quality) {
  return optimized_jpeg(image_of({24, 20}, [=](int x, int y, int c) { return level + ramp(x, y, c); }),
                        quality);
}

}  // namespace

TEST_CASE("ten thousand random pairs of images, sound and damaged, have the results of each by itself") {
  check_pairs(10'000, 400, 2);
}

TEST_CASE("a JPEG without quantization tables is refused after any other, too") {
  const Bytes whole = jpeg_of(10, 50), none = without_segments(whole, {0xdb});
  ImageLoader loader;
  for (int round = 0; round < 2; ++round) {
    CHECK(load(loader, none, 1).error.find("quantization table 0 is missing") != std::string::npos);
    CHECK(load(loader, whole, 1).error.empty());
  }
}

TEST_CASE("a JPEG without Huffman tables is decoded by the standard ones, whatever came before it") {
  const Image image = image_of({24, 20}, formula);
  const Bytes standard = encode_jpeg(image.view());  // its tables are the standard ones
  const Bytes frame = without_segments(standard, {0xc4});
  REQUIRE(frame.size() < standard.size());
  ImageLoader loader;
  const Result wanted = load(loader, standard, 1);
  REQUIRE(wanted.error.empty());
  for (const Bytes& before : {jpeg_of(0, 5), progressive_jpeg(image), arithmetic_jpeg(image, false)}) {
    REQUIRE(load(loader, before, 1).error.empty());
    CHECK(load(loader, frame, 1) == wanted);
  }
}

}  // namespace leat::test
