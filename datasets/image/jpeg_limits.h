// What an image file may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {

// Checked before memory is allocated for it.
struct JpegLimits {
  std::uint64_t max_pixels = 178'956'970;  // width times height; Pillow's MAX_IMAGE_PIXELS
  // libjpeg's own memory (progressive files need 3 to 6 bytes per pixel); the decoded rows are not in it.
  std::size_t max_decoder_bytes = std::size_t{512} << 20;
  int max_scans = 100;  // a file of many scans takes long however small it is
  // True: images whose data is incomplete or contradicts itself are accepted, as far as libjpeg or libpng gets on. Missing
  // pixels are gray in a JPEG, black in a PNG. Each such image is counted (DecodeWarning::missing_data). Damage that
  // leaves the pixels complete is always accepted, and counted.
  bool allow_corrupt = false;
};

}  // namespace leat
