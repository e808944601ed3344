// The inner loops of resampling, compiled for several instruction sets; the best that the machine has is taken
// at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat {

// How far behind a row's end the kernels may read and write, in bytes.
inline constexpr std::size_t kKernelPadding = 64;
// Output pixels are made in groups of so many.
inline constexpr std::size_t kPixelGroup = 16;
// A weight stands there once for each of a pixel's channels, and once more.
inline constexpr std::size_t kWeightCopies = 4;

// Where output pixel x stands in the arrays below: in each group, first every fourth pixel from the first on,
// then every fourth from the second on, and so on. Vectors of any size then hold pixels that are four apart,
// and four such vectors merge, byte by byte, into neighbours.
constexpr std::size_t weight_position(std::size_t x) noexcept {
  return x / kPixelGroup * kPixelGroup + x % 4 * 4 + x % kPixelGroup / 4;
}

// The weights of a row's output pixels. Of each, `taps` source pixels count, from offsets[p] bytes behind the
// row's start on, p being weight_position(x): source pixel k weighs weights[(k * pixels + p) * 4].
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

}  // namespace leat
