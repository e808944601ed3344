// Inflates a zstd file to another file.
#pragma once

#include <cstdint>
#include <filesystem>

namespace leat::detail {

// Writes the content of `compressed`, which must be exactly `bytes` long, to `inflated`. Uses a temporary name first,
// so that the file is either complete or absent; two processes that do this at once both succeed. Memory is bounded
// by a window of 128 MiB, disk space by `bytes`. Throws DataError if the data is damaged or has another length,
// SystemError.
void inflate_zstd(const std::filesystem::path& compressed, std::uint64_t bytes,
                  const std::filesystem::path& inflated);

}  // namespace leat::detail
