// What a prefetcher computes on the device, and the names under which it is found.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/scripted_source.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;
using test::ScriptedSource;

namespace {

const Normalization kHow{{0.5F, 0.25F, 0.125F, 0}, {0.5F, 0.25F, 2.0F, 1}};

// Row by row from the raw pixels, planes first.
std::vector<float> planes(const TensorView& image, std::size_t rows) {
  const auto pixels = image.as<std::uint8_t>();
  const std::size_t per_image = image.shape[1] * image.shape[2];
  std::vector<float> out;
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < per_image; ++i) {
        const auto pixel = static_cast<float>(pixels[(n * per_image + i) * 3 + c]);
        out.push_back(std::fma(pixel, kHow.scale()[c], kHow.bias()[c]));
      }
    }
  }
  return out;
}

std::vector<float> values(const TensorView& view) {
  const auto span = view.as<float>();
  return {span.begin(), span.end()};
}

}  // namespace

TEST_CASE("a normalized field is found under its own name, next to the raw one") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.normalize = {{"image", "pixels", kHow}}});
  for (const DeviceBatch& batch : feed.epoch(0, stream)) {
    stream.ref().synchronize();
    const TensorView raw = batch["image"];
    const TensorView pixels = batch["pixels"];
    CHECK(raw.shape == Shape{batch.size(), 6, 4, 3});
    CHECK(pixels.shape == Shape{batch.size(), 3, 6, 4});
    CHECK(values(pixels) == planes(raw, batch.size()));
    CHECK(reinterpret_cast<std::uintptr_t>(pixels.data) % 256 == 0);
    CHECK(batch["label"].dtype == DType::i64);
  }
}

TEST_CASE("a normalized field without a name hides the raw one") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Normalization half = kHow;
  half.dtype = DType::f16;
  half.layout = PixelLayout::nhwc;
  Prefetcher feed(source.source(), host_device(),
                  {.normalize = {{"image", "", half}, {"image", "full", kHow}}});
  const auto batch = feed.next(stream).value();
  CHECK(batch["image"].dtype == DType::f16);
  CHECK(batch["image"].shape == Shape{4, 6, 4, 3});
  CHECK(batch["full"].dtype == DType::f32);
  CHECK(batch["full"].shape == Shape{4, 3, 6, 4});
}

TEST_CASE("a field that is not there is refused with the names that are") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.normalize = {{"image", "pixels", kHow}}});
  const auto batch = feed.next(stream).value();
  expect_error<ArgumentError>([&] { static_cast<void>(batch["nothing"]); },
                              {"\"nothing\"", "\"image\"", "\"label\"", "\"pixels\""});
}

TEST_CASE("normalizations that cannot be are refused at once") {
  ScriptedSource source({});
  const auto attempt = [&](std::vector<FieldNormalization> wanted) {
    const Prefetcher feed(source.source(), host_device(), {.normalize = std::move(wanted)});
  };
  Normalization integers = kHow;
  integers.dtype = DType::u8;
  expect_error<ArgumentError>([&] { attempt({{"nothing", "", kHow}}); }, {"nothing"});
  expect_error<ArgumentError>([&] { attempt({{"label", "", kHow}}); }, {"\"label\"", "i64", "u8"});
  expect_error<ArgumentError>([&] { attempt({{"image", "", integers}}); }, {"u8"});
  expect_error<ArgumentError>([&] { attempt({{"image", "label", kHow}}); }, {"\"label\"", "taken"});
  expect_error<ArgumentError>(
      [&] {
        attempt({{"image", "a", kHow}, {"image", "a", kHow}});
      },
      {"\"a\"", "taken"});
}

TEST_CASE("normalization is ToTensor followed by Normalize") {
  const Normalization how{{0.485F, 0.456F, 0.406F, 0}, {0.229F, 0.224F, 0.225F, 1}};
  for (std::size_t c = 0; c < 3; ++c) {
    for (int pixel = 0; pixel < 256; ++pixel) {
      const double exact = (pixel / 255.0 - how.mean[c]) / how.std[c];
      const float ours = std::fma(static_cast<float>(pixel), how.scale()[c], how.bias()[c]);
      CHECK(std::abs(static_cast<double>(ours) - exact) < 1e-6);
    }
  }
}
