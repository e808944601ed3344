/// \file
/// How images are decoded.
#pragma once

#include "leat/datasets/export.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat {

/// Options for decoding images.
struct LEAT_EXPORT DecodeOptions {
  JpegLimits limits = {};  ///< Limits for image files.

  /// Whether images are turned upright as their EXIF data says, as in Pillow's ImageOps.exif_transpose. The default
  /// is that of torchvision's ImageFolder. Turning an image upright costs a copy of the decoded part.
  bool exif_orientation = false;

  /// 0, or at least 1. With 0, every image is decoded at its full size, and each pixel is that of Pillow's resize.
  /// Otherwise, an image that is to shrink is decoded at 1/2, 1/4 or 1/8 of its size. The smallest size is chosen at
  /// which width and height are still at least `reducing_gap` times those of the resized image, as in Pillow's
  /// Image.resize. This is much faster for images that shrink by more than 2 * reducing_gap, but not exact. With 3,
  /// the result can hardly be distinguished from the exact one; 1 is the fastest.
  double reducing_gap = 0;
};

}  // namespace leat
