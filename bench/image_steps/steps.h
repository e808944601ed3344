// Where the time of an image goes.
#pragma once

#include <filesystem>
#include <string>

namespace leat::bench {

// A table: CPU time per image of the folder's JPEGs (one sub-folder per class), one thread, the bytes in memory,
// medians of `rounds` rounds in which every step is measured in turn. Throws where the steps, taken one by one, do
// not make the pixels that ImageLoader makes.
std::string measure_steps(const std::filesystem::path& folder, int rounds);

}  // namespace leat::bench
