// The inner loops of resampling, compiled for several instruction sets; the best that the machine has is taken
// at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat::detail {

// How far behind a row's end the kernels may read and write, in bytes.
inline constexpr std::size_t kKernelPadding = 64;
// Output pixels are made in groups of so many.
inline constexpr std::size_t kPixelGroup = 16;
// A weight stands there once for each of a pixel's channels, and once more.
inline constexpr std::size_t kWeightCopies = 4;

// Where output pixel x stands in the arrays below: in each group, first every fourth pixel from the first on,
// then every fourth from the second on, and so on. Vectors of any size then hold pixels that are four apart,
// and four such vectors merge, byte by byte, into neighbors.
constexpr std::size_t weight_position(std::size_t x) noexcept {
  return x / kPixelGroup * kPixelGroup + x % 4 * 4 + x % kPixelGroup / 4;
}

// Two weights, of neighboring source pixels: each is high * 2^kLowBits + low, and both high parts stand in one
// number, the first pixel's in its lower half, as do both low parts. Instruction sets multiply and add pairs of
// 16-bit numbers faster than they multiply numbers of 32 bits.
struct WeightPair {
  static constexpr int kLowBits = 11;

  std::int32_t high;
  std::int32_t low;
};

// Their magnitude is below 2^(15 + kLowBits), which is 16 times what a pixel's weights add up to.
constexpr WeightPair weight_pair(std::int32_t first, std::int32_t second) noexcept {
  constexpr std::int32_t low = (1 << WeightPair::kLowBits) - 1;
  constexpr auto both = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(b) << 16) |
                                     (static_cast<std::uint32_t>(a) & 0xffff));
  };
  return {both(first >> WeightPair::kLowBits, second >> WeightPair::kLowBits),
          both(first & low, second & low)};
}

// The weights of a row's output pixels. Of each, `taps` source pixels count, from offsets[p] bytes behind the
// row's start on, p being weight_position(x). Source pixels k and k + 1, k being even, have the weight_pair()
// whose high part is weights[(k * pixels + p) * 4] and whose low part is weights[((k + 1) * pixels + p) * 4]; where
// the number of taps is odd, the last weight is 0.
struct RowWeights {
  const std::int32_t* offsets;
  const std::int32_t* weights;
  std::size_t taps;
  std::size_t pixels;  // a multiple of kPixelGroup
};

// Each output pixel is the weighted sum of source pixels of the row, rounded to nearest.
void weigh_row(const std::uint8_t* row, const RowWeights& weights, std::uint8_t* out);

// Each of `bytes` output bytes is the weighted sum of the bytes above it in `count` rows, rounded to nearest.
// Nothing behind the output's end is written.
void blend_rows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                std::uint8_t* out, std::size_t bytes);

// plane[c] = fma(pixel[c], scale[c], bias[c]) for a row of RGB: the same bits on every instruction set.
// Nothing behind the planes' ends is written.
struct ChannelScale {
  std::array<float, 3> scale;
  std::array<float, 3> bias;
};
void scale_row(const std::uint8_t* rgb, std::size_t pixels, const ChannelScale& how,
               const std::array<float*, 3>& planes);

}  // namespace leat::detail
