#include "tools/common/text_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "leat/datasets/errors.h"
#include "tools/common/command_line.h"

namespace leat::tools {

void check_can_write(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(path).parent_path();
  const bool is_file = !fs::exists(path) || fs::is_regular_file(path);
  if (is_file && ::access(fs::exists(path) ? path.c_str() : folder.c_str(), W_OK) == 0) return;
  throw UsageError(
      fmt::format("'{}' cannot be written: give a file in a folder that exists and is yours", path));
}

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw_errno(fmt::format("writing '{}'", path));
}

}  // namespace leat::tools
