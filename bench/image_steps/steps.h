// The time of each step of loading an image.
#pragma once

#include <filesystem>
#include <string>

namespace leat::bench {

// Returns a table of CPU time per image of the folder's JPEGs (one sub-folder per class), on one thread, with the
// files in memory. The times are medians of `rounds` rounds, in each of which every step is measured once. Throws if
// the steps, executed one by one, do not produce the pixels that ImageLoader produces.
std::string measure_steps(const std::filesystem::path& folder, int rounds);

}  // namespace leat::bench
