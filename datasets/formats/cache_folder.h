// Where things that can be made again are kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat {

// $LEAT_CACHE_DIR, or else leat/ in $XDG_CACHE_HOME, or else in ~/.cache; none where none of them is set.
std::optional<std::filesystem::path> default_cache_folder();

// Writes `file` whole or not at all: under a temporary name beside it, then renamed. Makes the folder. Throws
// SystemError.
void replace_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

// A name for a temporary file beside `file`, unlike any other process's or thread's.
std::filesystem::path temporary_name(const std::filesystem::path& file);

// A short name for a long text, the same in every process: 16 hexadecimal digits (FNV-1a).
std::string cache_key(std::string_view text);

}  // namespace leat
