// Per-pixel work that devices do, so that the bus carries one byte per value.
#pragma once

#include <array>
#include <cstddef>

#include <string>

#include "leat/datasets/dtype.h"
#include "leat/datasets/imagenet.h"

namespace leat {

enum class PixelLayout { nhwc, nchw };

// u8 pixels lie as [n, h, w, c], without gaps; c is at most 4.
struct PixelShape {
  std::size_t n = 0, h = 0, w = 0, c = 0;
  std::size_t count() const noexcept { return n * h * w * c; }
};

// out = (pixel / 255 - mean[c]) / std[c], computed in f32 as fma(pixel, scale, bias) with scale = 1 / (255
// std) and bias = -mean / std, then rounded to `dtype` (nearest, ties to even): the same bits on every
// device. The formula is that of torchvision's ToTensor followed by Normalize.
struct Normalization {
  std::array<float, 4> mean{0, 0, 0, 0};
  std::array<float, 4> std{1, 1, 1, 1};
  DType dtype = DType::f32;                // f32, f16 or bf16
  PixelLayout layout = PixelLayout::nchw;  // of the output

  std::array<float, 4> scale() const noexcept;
  std::array<float, 4> bias() const noexcept;
  // Throws ArgumentError for a dtype, number of channels, mean or std that cannot be used.
  void check(const PixelShape& shape) const;
};

/// Normalization with ImageNet's mean and standard deviation, of RGB pixels, to f32 [n, 3, h, w].
inline constexpr Normalization kImageNetNormalization{
    .mean = {kImageNetMean[0], kImageNetMean[1], kImageNetMean[2], 0},
    .std = {kImageNetStd[0], kImageNetStd[1], kImageNetStd[2], 1}};

// A field of pixels that the device turns into normalized floating point.
struct FieldNormalization {
  std::string field{};   // u8, shape [h, w, c]
  std::string output{};  // the name of the result; empty: the field's, which then hides the raw field
  Normalization how{};
};

}  // namespace leat
