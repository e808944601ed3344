// Reads whole files into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace leat::detail {

// Replaces `bytes` (whose memory is reused) by the content of a regular file. Reads instead of mapping: a file that
// shrinks in the meantime is an error here, and would be a SIGBUS with a mapping. Throws SystemError naming the path
// and the call that failed, DataError if it is not a regular file, is longer than `max_bytes`, or changes its length.
void read_file(const std::filesystem::path& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

}  // namespace leat::detail
