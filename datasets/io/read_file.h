// Whole files into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace leat::detail {

// Replaces `bytes` (whose memory is reused) by the content of a regular file. Reads, never maps: a file that
// shrinks meanwhile is an error here and would be SIGBUS there. Throws SystemError naming the path and the
// call that failed, DataError where it is no regular file, is longer than `max_bytes`, or changes its length.
void read_file(const std::filesystem::path& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

}  // namespace leat::detail
