// Encoder from RGB to JPEG, based on libjpeg-turbo.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::detail {

enum class ChromaSampling {
  full,  // 4:4:4
  half,  // 4:2:0, half the resolution in both directions
};

struct JpegOptions {
  int quality = 90;  // 1 to 100, on libjpeg's scale
  ChromaSampling chroma = ChromaSampling::half;
};

// Encodes the image as a baseline JPEG. Throws ArgumentError if the quality or the size is out of range (width and
// height are 1 to 65500 pixels).
std::vector<std::byte> encode_jpeg(ImageView image, const JpegOptions& options = {});

}  // namespace leat::detail
