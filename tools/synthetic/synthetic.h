// A deterministic generator of JPEG images: ten classes of procedural images, for trying things out without
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::tools {

using namespace detail;

// Rises when the images change, so that folders of older ones are told apart.
inline constexpr int kSyntheticVersion = 1;

// "beach", "brick_wall", ...: sorted, so that ImageFolder's labels are these positions.
const std::vector<std::string>& synthetic_class_names();

// The class of image `index`: index modulo the number of classes.
inline std::int64_t synthetic_label(std::uint64_t index) {
  return static_cast<std::int64_t>(index % 10);
}

// Image `index` of the series `seed`: 400 to 600 pixels each way. A pure function; integer arithmetic only,
// so that it is the same on every machine.
Image synthetic_image(std::uint64_t seed, std::uint64_t index);

// The same as a JPEG file (quality 85 to 90, 4:2:0), mostly of 60 to 120 KB. The coding is libjpeg-turbo's:
// the bytes are the same with the same version of it.
std::vector<std::byte> synthetic_jpeg(std::uint64_t seed, std::uint64_t index);

}  // namespace leat::tools
