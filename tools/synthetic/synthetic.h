// A deterministic generator of JPEG images: ten classes of procedural images, for trying things out without data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::tools {

using namespace detail;

// Increased when the images change, so that folders of older images can be recognized.
inline constexpr int kSyntheticVersion = 1;

// Returns "beach", "brick_wall", ...: sorted, so that ImageFolder's labels are these positions.
const std::vector<std::string>& synthetic_class_names();

// Returns the class of image `index`: the index modulo the number of classes.
inline std::int64_t synthetic_label(std::uint64_t index) {
  return static_cast<std::int64_t>(index % 10);
}

// Returns image `index` of the series `seed`: 400 to 600 pixels in each direction. A pure function with integer
// arithmetic only, so that the image is the same on every machine.
Image synthetic_image(std::uint64_t seed, std::uint64_t index);

// Returns the same image as a JPEG file (quality 85 to 90, 4:2:0), mostly 60 to 120 KB. It is encoded by
// libjpeg-turbo: the bytes are the same with the same version of the library.
std::vector<std::byte> synthetic_jpeg(std::uint64_t seed, std::uint64_t index);

}  // namespace leat::tools
