// The benchmark of images stored as pixels, compared with the bare decoder of their original JPEGs.
#pragma once

#include <filesystem>

#include "bench/comparison.h"

namespace leat::bench {

// `make_decoder` makes the limit: the bare decoder over the same images' files.
void add_raw_samples(const std::filesystem::path& folder, std::function<Epoch()> make_decoder);

}  // namespace leat::bench
