/// \file
/// Limits for image files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/datasets/export.h"

namespace leat {

/// Limits for image files, JPEG or PNG. They are checked before memory is allocated.
struct LEAT_EXPORT JpegLimits {
  std::uint64_t max_pixels = 178'956'970;  ///< Width times height; the default is Pillow's MAX_IMAGE_PIXELS.
  /// The memory of libjpeg itself, without the decoded rows. Progressive files need 3 to 6 bytes per pixel.
  std::size_t max_decoder_bytes = std::size_t{512} << 20;
  int max_scans = 100;  ///< Scans of a progressive JPEG. Even a small file with many scans takes long.
  /// Whether images with incomplete or contradictory data are accepted, as far as libjpeg or libpng can read them.
  /// Missing pixels are gray in a JPEG and black in a PNG. Each such image is counted (DecodeWarning::missing_data).
  /// Damage that leaves the pixels complete is always accepted, and counted.
  bool allow_corrupt = false;
};

}  // namespace leat
