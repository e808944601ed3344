// Where benchmarks keep what they generate.
#pragma once

#include <filesystem>
#include <string_view>

namespace leat::bench {

// bench/<name> in the cache folder ($LEAT_CACHE_DIR, or leat/ in $XDG_CACHE_HOME or ~/.cache). Makes bench/, not
// <name>. Throws Error if there is no cache folder.
std::filesystem::path data_folder(std::string_view name);

}  // namespace leat::bench
