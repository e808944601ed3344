// A zstd file, inflated to another file.
#pragma once

#include <cstdint>
#include <filesystem>

namespace leat::detail {

// Writes the content of `compressed`, which must be exactly `bytes` long, to `inflated`: under a temporary name first,
// so that the file is there whole or not at all; two that do it at once both succeed. Memory is bounded by a window of
// 128 MiB, disk by `bytes`. Throws DataError on damaged data and on another length, SystemError.
void inflate_zstd(const std::filesystem::path& compressed, std::uint64_t bytes,
                  const std::filesystem::path& inflated);

}  // namespace leat::detail
