/// \file
/// How images are decoded.
#pragma once

#include "leat/datasets/export.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat {

/// How images are decoded.
struct LEAT_EXPORT DecodeOptions {
  JpegLimits limits = {};  ///< What an image may ask for.

  /// Whether images are turned upright as their EXIF data says, as by Pillow's ImageOps.exif_transpose. The default is
  /// that of torchvision's ImageFolder. An image that is not upright costs a copy of the part that is decoded.
  bool exif_orientation = false;

  /// 0, or at least 1. With 0, every image is decoded at its full size, and each pixel is that of Pillow's resize.
  /// Otherwise, an image that is to shrink is decoded at 1/2, 1/4 or 1/8 of its size: the smallest one at which width
  /// and height are still at least `reducing_gap` times those of the resized image, as in Pillow's Image.resize. That
  /// is much faster for images that shrink by more than 2 * reducing_gap, but not exact: 3 can hardly be told from the
  /// exact result, 1 is the fastest.
  double reducing_gap = 0;
};

}  // namespace leat
