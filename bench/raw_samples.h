// Images stored as pixels, against the bare decoder of the JPEGs that they were made of.
#pragma once

#include <filesystem>

#include "bench/comparison.h"

namespace leat::bench {

// `make_decoder` is the limit: the bare decoder over the same images' files.
void add_raw_samples(const std::filesystem::path& folder, std::function<Epoch()> make_decoder);

}  // namespace leat::bench
