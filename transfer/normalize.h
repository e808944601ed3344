/// \file
/// The normalization of pixels, which devices do, so that the bus carries one byte per value.
#pragma once

#include <array>
#include <cstddef>

#include <string>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"
#include "leat/datasets/imagenet.h"

namespace leat {

/// Orders of the dimensions of a batch of images.
enum class PixelLayout {
  nhwc,  ///< [images, height, width, channels]
  nchw   ///< [images, channels, height, width]
};

/// The size of a batch of images, which lie without gaps.
struct LEAT_EXPORT PixelShape {
  std::size_t n = 0;  ///< images
  std::size_t h = 0;  ///< height
  std::size_t w = 0;  ///< width
  std::size_t c = 0;  ///< channels; at most 4 can be normalized

  /// Returns the number of values.
  std::size_t count() const noexcept { return n * h * w * c; }
};

/// The normalization of pixels: out = (pixel / 255 - mean[c]) / std[c], as torchvision's ToTensor followed by
/// Normalize.
///
/// It is computed in f32 as fma(pixel, scale, bias) with scale = 1 / (255 std) and bias = -mean / std, then rounded to
/// `dtype` (to nearest, ties to even). Every device computes the same bits.
struct LEAT_EXPORT Normalization {
  std::array<float, 4> mean{0, 0, 0, 0};   ///< of each channel, where 1 is the brightest pixel
  std::array<float, 4> std{1, 1, 1, 1};    ///< standard deviation of each channel, in the same unit
  DType dtype = DType::f32;                ///< of the output: f32, f16 or bf16
  PixelLayout layout = PixelLayout::nchw;  ///< of the output

  /// Returns 1 / (255 std) of each channel.
  std::array<float, 4> scale() const noexcept;
  /// Returns -mean / std of each channel.
  std::array<float, 4> bias() const noexcept;
  /// Throws ArgumentError for a dtype, number of channels, mean or std that cannot be used.
  void check(const PixelShape& shape) const;
};

/// Normalizes RGB pixels by ImageNet's mean and standard deviation, to f32 [n, 3, h, w].
inline constexpr Normalization kImageNetNormalization{
    .mean = {kImageNetMean[0], kImageNetMean[1], kImageNetMean[2], 0},
    .std = {kImageNetStd[0], kImageNetStd[1], kImageNetStd[2], 1}};

/// Names a field of pixels that the device normalizes. The result is [rows, h, w, c] or [rows, c, h, w].
struct LEAT_EXPORT FieldNormalization {
  std::string field{};   ///< name of a field of dtype u8 and shape [h, w, c]
  std::string output{};  ///< name of the result; if empty, the field's name, and the result hides the field
  Normalization how{};   ///< what to compute
  /// Name of a field of u8 or booleans, one for each image: images where it is not 0 are mirrored left to right in the
  /// same pass. The dataset draws it with the sample's generator. If empty, no image is mirrored.
  std::string flipped{};
};

}  // namespace leat
