#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_array.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

struct Case {
  PixelShape shape;
  Normalization how;
  std::size_t skip =
      0;  // bytes of the input, and elements of the output, before the first: breaks the alignment
  std::vector<std::uint8_t> flipped{};  // of each image; empty: none is mirrored
};

void append(std::vector<std::byte>& out, float value, DType dtype) {
  const std::size_t at = out.size();
  out.resize(at + size_of(dtype));
  if (dtype == DType::f32) std::memcpy(&out[at], &value, sizeof value);
  const Half half = to_half(value);
  if (dtype == DType::f16) std::memcpy(&out[at], &half, sizeof half);
  const BFloat16 brain = to_bfloat16(value);
  if (dtype == DType::bf16) std::memcpy(&out[at], &brain, sizeof brain);
}

// The value that pixel `to` of the batch gets.
float value_at(const Case& of, const std::uint8_t* pixels, std::size_t to, std::size_t c) {
  const std::size_t w = of.shape.w, x = to % w;
  const bool is_flipped = !of.flipped.empty() && of.flipped[to / (of.shape.h * w)] != 0;
  const std::size_t pixel = is_flipped ? to - x + (w - 1 - x) : to;
  return std::fma(static_cast<float>(pixels[pixel * of.shape.c + c]), of.how.scale()[c], of.how.bias()[c]);
}

// One value after the other, in the order of the output: the definition of normalize.h and nothing else.
std::vector<std::byte> reference(const Case& of, const std::uint8_t* pixels) {
  const PixelShape& shape = of.shape;
  std::vector<std::byte> out;
  const std::size_t per_image = shape.h * shape.w;
  if (of.how.layout == PixelLayout::nhwc) {
    for (std::size_t i = 0; i < shape.n * per_image; ++i) {
      for (std::size_t c = 0; c < shape.c; ++c) append(out, value_at(of, pixels, i, c), of.how.dtype);
    }
    return out;
  }
  for (std::size_t n = 0; n < shape.n; ++n) {
    for (std::size_t c = 0; c < shape.c; ++c) {
      for (std::size_t i = 0; i < per_image; ++i) {
        append(out, value_at(of, pixels, n * per_image + i, c), of.how.dtype);
      }
    }
  }
  return out;
}

void check_case(Device& device, const Case& of) {
  INFO("shape " << of.shape.n << "x" << of.shape.h << "x" << of.shape.w << "x" << of.shape.c << " to "
                << name_of(of.how.dtype) << (of.how.layout == PixelLayout::nchw ? " nchw" : " nhwc")
                << ", skip " << of.skip << (of.flipped.empty() ? "" : ", flipped"));
  const Stream stream = device.make_stream();
  const auto pixels = byte_ramp(of.skip + of.shape.count(), 11, 37);
  const std::size_t out_skip = of.skip * size_of(of.how.dtype);
  const std::size_t out_bytes = of.shape.count() * size_of(of.how.dtype);
  const DeviceBuffer from = device.allocate(pixels.size());
  const DeviceBuffer to = device.allocate(out_skip + out_bytes);
  device.copy(from.data(), pixels.data(), pixels.size(), stream);
  const auto* first = reinterpret_cast<const std::uint8_t*>(from.data()) + of.skip;
  const DeviceArray flipped(stream, of.flipped, of.skip);
  device.normalize(to.data() + out_skip, first, of.shape, of.how, stream,
                   of.flipped.empty() ? nullptr : flipped.data());
  const auto expected = reference(of, reinterpret_cast<const std::uint8_t*>(pixels.data()) + of.skip);
  CHECK((download(stream, to.data() + out_skip, out_bytes) == expected));
}

const Normalization kImageNet{{0.485F, 0.456F, 0.406F, 0.5F}, {0.229F, 0.224F, 0.225F, 0.25F}};

void check_everywhere(Device& device, const PixelShape& shape, Normalization how) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const PixelLayout layout : {PixelLayout::nchw, PixelLayout::nhwc}) {
      for (const std::size_t skip : {0, 1}) {
        how.dtype = dtype;
        how.layout = layout;
        check_case(device, {shape, how, skip});
      }
    }
  }
}

void gives_the_bits_of_the_definition(Device& device) {
  const PixelShape shapes[] = {{1, 1, 1, 1}, {2, 5, 3, 1}, {3, 4, 4, 1},   {2, 7, 9, 2},   {2, 4, 8, 2},
                               {1, 1, 1, 3}, {3, 5, 7, 3}, {3, 4, 4, 3},   {2, 2, 6, 3},   {5, 32, 32, 3},
                               {1, 3, 5, 4}, {2, 8, 8, 4}, {2, 33, 31, 3}, {4, 28, 28, 1}, {2, 48, 64, 3}};
  for (const PixelShape& shape : shapes) check_everywhere(device, shape, kImageNet);
}

void mirrors_images(Device& device) {
  INFO("seed 31");
  std::mt19937 random(31);
  const auto below = [&](std::size_t limit) { return std::size_t{random()} % limit; };
  constexpr DType kDtypes[] = {DType::f32, DType::f16, DType::bf16};
  for (int i = 0; i < 300; ++i) {
    const std::size_t width = below(2) == 0 ? 4 * (1 + below(6)) : 1 + below(13);
    Case made{{1 + below(5), 1 + below(4), width, 1 + below(4)}, kImageNet, below(3) == 0 ? below(8) : 0};
    made.how.dtype = kDtypes[below(3)];
    made.how.layout = below(2) == 0 ? PixelLayout::nchw : PixelLayout::nhwc;
    for (std::size_t n = 0; n < made.shape.n; ++n)
      made.flipped.push_back(static_cast<std::uint8_t>(below(2) * (1 + below(255))));
    check_case(device, made);
  }
}

// u8 pixels are kept by mean 0 and std 1 / 255, so they can be normalized again.
void mirroring_twice_changes_nothing(Device& device) {
  const Stream stream = device.make_stream();
  const PixelShape shape{2, 3, 8, 3};
  const Normalization how{.std = {1 / 255.0F, 1 / 255.0F, 1 / 255.0F, 1}, .layout = PixelLayout::nhwc};
  std::vector<std::uint8_t> pixels(shape.count());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37);
  const DeviceArray flipped(stream, std::vector<std::uint8_t>{1, 1});
  const auto mirrored = [&](const std::vector<std::uint8_t>& images) {
    const DeviceArray from(stream, images);
    const DeviceArray to(stream, std::vector<float>(images.size()));
    device.normalize(to.data(), from.data(), shape, how, stream, flipped.data());
    std::vector<std::uint8_t> out;
    for (const float value : to.values()) out.push_back(static_cast<std::uint8_t>(std::lround(value)));
    return out;
  };
  const auto once = mirrored(pixels);
  CHECK(once != pixels);
  CHECK(mirrored(once) == pixels);
}

void rounds_small_and_large_values(Device& device) {
  check_everywhere(device, {1, 16, 16, 3}, {{0.5F, 0, 0.1F, 0}, {3e-6F, 2e5F, 1e30F, 1}});
}

void takes_many_small_images(Device& device) {
  check_case(device, {{70000, 1, 4, 3}, kImageNet, 0});
}

void takes_no_images(Device& device) {
  check_case(device, {{0, 4, 4, 3}, kImageNet, 0});
}

void refuses_what_it_cannot_do(Device& device) {
  const Stream stream = device.make_stream();
  const auto attempt = [&](const PixelShape& shape, const Normalization& how) {
    device.normalize(nullptr, nullptr, shape, how, stream);
  };
  Normalization integers;
  integers.dtype = DType::i32;
  Normalization no_spread;
  no_spread.std[1] = 0;
  expect_error<ArgumentError>([&] { attempt({1, 2, 2, 3}, integers); }, {"i32"});
  expect_error<ArgumentError>([&] { attempt({1, 2, 2, 5}, {}); }, {"5"});
  expect_error<ArgumentError>([&] { attempt({1, 2, 2, 3}, no_spread); }, {"channel 1", "std"});
  attempt({0, 2, 2, 1}, no_spread);  // channel 1 is not used
}

}  // namespace

std::vector<Clause> normalize_clauses() {
  return {{"normalization gives the bits of its definition", gives_the_bits_of_the_definition},
          {"normalization mirrors images", mirrors_images},
          {"mirroring twice changes nothing", mirroring_twice_changes_nothing},
          {"normalization rounds small and large values", rounds_small_and_large_values},
          {"normalization takes many small images", takes_many_small_images},
          {"normalization takes no images", takes_no_images},
          {"normalization refuses what it cannot do", refuses_what_it_cannot_do}};
}

}  // namespace leat::test
