// Parts of files into memory, at any position.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "leat/datasets/base/unique_fd.h"

namespace leat {

// Opens a regular file for reading. Throws SystemError naming the path, DataError where it is none.
detail::UniqueFd open_for_reading(const std::filesystem::path& path);
std::uint64_t size_of_file(int fd, const std::filesystem::path& path);

// Fills the parts one after the other from byte `offset` on, with one preadv unless the kernel gives less at once.
// Changes `parts`. Throws SystemError, and DataError where the file ends before.
void read_parts(int fd, std::uint64_t offset, std::span<iovec> parts, const std::filesystem::path& path);
void read_bytes(int fd, std::uint64_t offset, std::span<std::byte> bytes, const std::filesystem::path& path);

// xxh3 of all of it.
std::uint64_t checksum_of_file(const std::filesystem::path& path);

}  // namespace leat
