// The folder for the data that benchmarks generate.
#pragma once

#include <filesystem>
#include <string_view>

namespace leat::bench {

// Returns bench/<name> in the cache folder ($LEAT_CACHE_DIR, or leat/ in $XDG_CACHE_HOME or ~/.cache). Creates
// bench/, but not <name>. Throws Error if there is no cache folder.
std::filesystem::path data_folder(std::string_view name);

}  // namespace leat::bench
