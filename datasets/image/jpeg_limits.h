// What a JPEG file may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat {

// Checked before memory is allocated for it.
struct JpegLimits {
  std::uint64_t max_pixels = 178'956'970;  // width times height; Pillow's MAX_IMAGE_PIXELS
  // libjpeg's own memory (progressive files need 3 to 6 bytes per pixel); the decoded rows are not in it.
  std::size_t max_decoder_bytes = std::size_t{512} << 20;
  int max_scans = 100;         // a file of many scans takes long however small it is
  bool allow_corrupt = false;  // true: what libjpeg only warns about is accepted, and missing data is grey
};

}  // namespace leat
