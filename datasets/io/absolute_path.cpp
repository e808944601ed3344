#include "leat/datasets/io/absolute_path.h"

#include <filesystem>
#include <system_error>

#include "leat/datasets/errors.h"

namespace leat::detail {

std::string absolute_path(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) throw SystemError("the working directory", error.value());
  return absolute.string();
}

}  // namespace leat::detail
