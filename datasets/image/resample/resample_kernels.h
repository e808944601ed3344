// Inner loops of resampling, compiled for several instruction sets. The best one that the machine supports is chosen
// at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat::detail {

// Number of bytes beyond a row's end that the kernels may read and write.
inline constexpr std::size_t kKernelPadding = 64;
// Output pixels are computed in groups of this size.
inline constexpr std::size_t kPixelGroup = 16;
// Each weight is stored once per channel of a pixel, and once more.
inline constexpr std::size_t kWeightCopies = 4;

// The position of output pixel x in the arrays below. In each group, every fourth pixel from the first on comes
// first, then every fourth pixel from the second on, and so on. Vectors of any size then hold pixels that are four
// apart, and four such vectors merge, byte by byte, into adjacent pixels.
constexpr std::size_t weight_position(std::size_t x) noexcept {
  return x / kPixelGroup * kPixelGroup + x % 4 * 4 + x % kPixelGroup / 4;
}

// Two weights of adjacent source pixels. Each weight is high * 2^kLowBits + low. Both high parts are in one number,
// the first pixel's in its lower half; the low parts likewise. Instruction sets multiply and add pairs of 16-bit
// numbers faster than they multiply 32-bit numbers.
struct WeightPair {
  static constexpr int kLowBits = 11;

  std::int32_t high;
  std::int32_t low;
};

// The magnitude of each weight must be below 2^(15 + kLowBits), which is 16 times the sum of a pixel's weights.
constexpr WeightPair weight_pair(std::int32_t first, std::int32_t second) noexcept {
  constexpr std::int32_t low = (1 << WeightPair::kLowBits) - 1;
  constexpr auto both = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(b) << 16) |
                                     (static_cast<std::uint32_t>(a) & 0xffff));
  };
  return {both(first >> WeightPair::kLowBits, second >> WeightPair::kLowBits),
          both(first & low, second & low)};
}

// The weights of a row's output pixels. Output pixel x has the position p = weight_position(x). It is computed from
// `taps` source pixels, which start offsets[p] bytes after the row's start. Source pixels k and k + 1, for even k,
// have the weight_pair() whose high part is weights[(k * pixels + p) * 4] and whose low part is weights[((k + 1) *
// pixels + p) * 4]. If the number of taps is odd, the last weight is 0.
struct RowWeights {
  const std::int32_t* offsets;
  const std::int32_t* weights;
  std::size_t taps;
  std::size_t pixels;  // a multiple of kPixelGroup
};

// Computes each output pixel as the weighted sum of source pixels of the row, rounded to nearest.
void weigh_row(const std::uint8_t* row, const RowWeights& weights, std::uint8_t* out);

// Computes each of `bytes` output bytes as the weighted sum of the bytes at the same position in `count` rows,
// rounded to nearest. Nothing beyond the output's end is written.
void blend_rows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                std::uint8_t* out, std::size_t bytes);

// plane[c] = fma(pixel[c], scale[c], bias[c]) for a row of RGB pixels. The bits are the same on every instruction
// set. Nothing beyond the planes' ends is written.
struct ChannelScale {
  std::array<float, 3> scale;
  std::array<float, 3> bias;
};
void scale_row(const std::uint8_t* rgb, std::size_t pixels, const ChannelScale& how,
               const std::array<float*, 3>& planes);

}  // namespace leat::detail
