// The folder for files that can be made again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace leat::detail {

// Returns $LEAT_CACHE_DIR, or else leat/ in $XDG_CACHE_HOME, or else leat/ in ~/.cache; nullopt if none of the
// variables is set.
std::optional<std::filesystem::path> default_cache_folder();

// A short name for a long text, the same in every process: 16 hexadecimal digits (FNV-1a).
std::string cache_key(std::string_view text);

}  // namespace leat::detail
