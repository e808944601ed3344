// Functions that write results to files.
#pragma once

#include <string>

namespace leat::tools {

// Throws UsageError if `path` cannot be written as a file. Called before hours of work, so that it does not fail
// after them.
void check_can_write(const std::string& path);

// Writes the whole file. Throws SystemError if that fails.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace leat::tools
