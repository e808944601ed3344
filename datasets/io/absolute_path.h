// Absolute paths, which mean the same in every process.
#pragma once

#include <string>

namespace leat::detail {

// Returns the path from the root on. The path is not simplified: ".." after a link does not lead back to the folder
// that holds the link. An empty path stays empty. Throws SystemError if there is no working directory.
std::string absolute_path(const std::string& path);

}  // namespace leat::detail
