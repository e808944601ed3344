// The loops of every instruction set that this machine has, against plain ones.
#include "leat/datasets/image/resample/resample_kernels.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "leat/datasets/image/resample/coefficients.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/image/every_target.h"
#include "tests/datasets/image/packed_pairs.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using Row = std::vector<std::uint8_t>;

constexpr std::uint64_t kSeed = 77;
constexpr std::uint8_t kUntouched = 0xa5;

Row random_row(std::size_t size, Rng& rng) {
  Row row(size);
  for (auto& byte : row) byte = static_cast<std::uint8_t>(rng());
  return row;
}

// Weights from -1/2 to 3/2: more than any filter gives, so that sums have to be clamped.
std::int32_t random_weight(Rng& rng) {
  return static_cast<std::int32_t>(rng.below(1 << (kWeightBits + 1))) - (1 << (kWeightBits - 1));
}

std::uint8_t to_pixel(std::int64_t sum) {
  return static_cast<std::uint8_t>(
      std::clamp<std::int64_t>((sum + (1 << (kWeightBits - 1))) >> kWeightBits, 0, 255));
}

void check_weigh_row(std::size_t pixels, std::size_t taps, std::size_t columns, Rng& rng) {
  INFO(taps << " of " << columns << " source pixels, for each of " << pixels);
  Row source = random_row(columns * 3 + kKernelPadding, rng);
  std::vector<std::int32_t> offsets(pixels), weights(pixels * taps);
  for (auto& offset : offsets) offset = static_cast<std::int32_t>(3 * rng.below(columns - taps + 1));
  for (auto& weight : weights) weight = random_weight(rng) / std::int32_t(taps);
  const std::vector<std::int32_t> packed = packed_pairs(weights, pixels, taps);
  Row out(pixels * 3 + kKernelPadding);
  weigh_row(source.data(), {offsets.data(), packed.data(), taps, pixels}, out.data());
  for (std::size_t x = 0; x < pixels; ++x) {
    for (std::size_t c = 0; c < 3; ++c) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < taps; ++k) {
        sum += std::int64_t{weights[k * pixels + weight_position(x)]} *
               source[static_cast<std::size_t>(offsets[weight_position(x)]) + 3 * k + c];
      }
      REQUIRE(out[3 * x + c] == to_pixel(sum));
    }
  }
}

void check_blend_rows(std::size_t bytes, std::size_t count, Rng& rng) {
  INFO(count << " rows of " << bytes << " bytes");
  std::vector<Row> rows;
  std::vector<const std::uint8_t*> addresses;
  std::vector<std::int32_t> weights;
  for (std::size_t k = 0; k < count; ++k) {
    rows.push_back(random_row(bytes + kKernelPadding, rng));
    weights.push_back(random_weight(rng) / std::int32_t(count));
  }
  for (const Row& row : rows) addresses.push_back(row.data());
  Row out(bytes + kKernelPadding, kUntouched);
  blend_rows(addresses.data(), weights.data(), count, out.data(), bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += std::int64_t{weights[k]} * rows[k][i];
    REQUIRE(out[i] == to_pixel(sum));
  }
  REQUIRE(
      std::all_of(out.begin() + std::ptrdiff_t(bytes), out.end(), [](auto b) { return b == kUntouched; }));
}

void check_scale_row(std::size_t pixels, Rng& rng) {
  INFO(pixels << " pixels");
  const Row rgb = random_row(pixels * 3 + kKernelPadding, rng);
  const ChannelScale how{{1 / 58.395F, 1 / 57.12F, 1 / 57.375F}, {-2.117904F, -2.0357144F, -1.8044444F}};
  std::vector<std::vector<float>> planes(3, std::vector<float>(pixels + 1, -99));
  scale_row(rgb.data(), pixels, how, {planes[0].data(), planes[1].data(), planes[2].data()});
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = 0; x < pixels; ++x) {
      REQUIRE(planes[c][x] == std::fma(float(rgb[3 * x + c]), how.scale[c], how.bias[c]));
    }
    REQUIRE(planes[c][pixels] == -99);
  }
}

}  // namespace

TEST_CASE("every instruction set weighs a row's pixels to the same bytes") {
  on_every_target([] {
    INFO("seed " << kSeed);
    Rng rng(kSeed, 0, 0);
    for (std::size_t taps = 1; taps <= 13; ++taps) {
      for (const std::size_t pixels : {16, 32, 48, 224}) {
        check_weigh_row(pixels, taps, taps, rng);
        check_weigh_row(pixels, taps, 300, rng);
      }
    }
  });
}

TEST_CASE("every instruction set blends rows to the same bytes and writes none behind them") {
  on_every_target([] {
    INFO("seed " << kSeed);
    Rng rng(kSeed, 0, 1);
    for (std::size_t bytes = 1; bytes <= 150; ++bytes) check_blend_rows(bytes, 1 + bytes % 7, rng);
    check_blend_rows(672, 40, rng);
  });
}

TEST_CASE("every instruction set scales pixels to the same bits and writes none behind them") {
  on_every_target([] {
    INFO("seed " << kSeed);
    Rng rng(kSeed, 0, 2);
    for (std::size_t pixels = 1; pixels <= 70; ++pixels) check_scale_row(pixels, rng);
  });
}

}  // namespace leat::test
