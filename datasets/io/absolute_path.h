// Paths that mean the same in every process.
#pragma once

#include <string>

namespace leat::detail {

// The path from the root on; nothing is folded, since ".." behind a link is not what stands before it. An empty path
// stays empty. Throws SystemError where there is no working directory.
std::string absolute_path(const std::string& path);

}  // namespace leat::detail
