// Image files of every kind that is decoded, sound, damaged and incomplete: for tests of what one leaves behind.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/rng.h"
#include "tests/datasets/image/jpeg_files.h"

namespace leat::test {

// JPEGs and PNGs, about half of them sound. The others are cut off, have wrong bytes, or lack tables.
std::vector<Bytes> sample_images(std::size_t count, Rng& rng);

}  // namespace leat::test
