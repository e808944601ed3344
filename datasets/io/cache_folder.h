// Where things that can be made again are kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace leat::detail {

// $LEAT_CACHE_DIR, or else leat/ in $XDG_CACHE_HOME, or else in ~/.cache; none where none of them is set.
std::optional<std::filesystem::path> default_cache_folder();

// A short name for a long text, the same in every process: 16 hexadecimal digits (FNV-1a).
std::string cache_key(std::string_view text);

}  // namespace leat::detail
