// Members of a tar archive, POSIX ustar (IEEE Std 1003.1-1988), for writing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace leat {

inline constexpr std::size_t kTarBlock = 512, kTarRecord = 10'240;  // an archive is padded to the latter

// Adds a regular file of mode 0444, owner 0 (bigdata), time 0. Throws ArgumentError on a name that ustar's 155 + 100 bytes
// cannot hold, or a content of 8 GiB and more.
void append_tar_member(std::vector<std::byte>& archive, const std::string& name,
                       std::span<const std::byte> content);

}  // namespace leat
