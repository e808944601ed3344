// How pictures are decoded for transforms.
#pragma once

#include "leat/datasets/image/jpeg_limits.h"

namespace leat {

struct DecodeOptions {
  JpegLimits limits = {};

  // Turn pictures upright as their EXIF data says, as Pillow's ImageOps.exif_transpose does. Not by default:
  // torchvision's ImageFolder does not, either. A picture that is not upright costs a copy of its part.
  bool exif_orientation = false;

  // 0, or at least 1: where the picture is to shrink, decode it at 1/2, 1/4 or 1/8 of its size, the smallest
  // that still has `reducing_gap` times the pixels across that the resized picture will have, in both
  // directions; as in Pillow's Image.resize. It is much faster on pictures that shrink by more than 2 *
  // reducing_gap, and no longer the exact mean: 3 is hardly told from the exact result, 1 is the fastest.
  // 0, the default, decodes every picture at its full size, hence each pixel is that of Pillow's resize.
  double reducing_gap = 0;
};

}  // namespace leat
