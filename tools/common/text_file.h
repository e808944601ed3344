// Results as files.
#pragma once

#include <string>

namespace leat::tools {

// Throws UsageError where `path` can be no file to write: said before hours of work, and not after them.
void check_can_write(const std::string& path);

// Writes the file whole; throws SystemError where that fails.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace leat::tools
