// Writes members of a tar archive in the format POSIX ustar (IEEE Std 1003.1-1988). A name that does not fit into
// ustar is written to a pax header (POSIX.1-2001) before its member.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace leat::detail {

inline constexpr std::size_t kTarBlock = 512, kTarRecord = 10'240;  // an archive is padded to the latter

// Adds a regular file of mode 0444, owner 0 (bigdata), time 0. Throws ArgumentError if the name has more than 4096
// bytes, or the content has 8 GiB or more.
void append_tar_member(std::vector<std::byte>& archive, const std::string& name,
                       std::span<const std::byte> content);

}  // namespace leat::detail
