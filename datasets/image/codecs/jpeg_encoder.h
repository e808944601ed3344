// RGB to JPEG, through libjpeg-turbo.
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
  int quality = 90;  // 1 to 100, libjpeg's scale
  ChromaSampling chroma = ChromaSampling::half;
};

// A baseline JPEG of the image. Throws ArgumentError where the quality or the size (1 to 65500 pixels each
// way) is out of range.
std::vector<std::byte> encode_jpeg(ImageView image, const JpegOptions& options = {});

}  // namespace leat::detail
