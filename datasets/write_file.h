// Whole files from memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace leat {

// Makes a new file; its folder must exist. Throws SystemError naming the path, also where the file exists.
void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace leat
