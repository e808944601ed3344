#include "tools/convert/destination.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "tools/common/command_line.h"
#include "tools/convert/sources.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;

// "/a/b/", "/a/./b" and "/a/b" are the same folder.
fs::path normal(const fs::path& destination) {
  const fs::path path = fs::absolute(destination).lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;
}

dev_t device_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_dev : dev_t{};
}

void require_replaceable(const fs::path& folder) {
  const fs::file_status status = fs::symlink_status(folder);
  if (!fs::exists(status)) return;
  if (fs::is_symlink(status)) {
    throw UsageError(fmt::format("'{}' is a link: name the folder that it leads to", folder.string()));
  }
  if (!fs::is_directory(status) || !fs::is_empty(folder)) {
    throw UsageError(fmt::format("'{}' exists already: name a folder that does not", folder.string()));
  }
  if (device_of(folder) != device_of(folder.parent_path())) {
    throw UsageError(fmt::format("'{}' is where a disk begins: name a folder in it", folder.string()));
  }
}

}  // namespace

void require_outside(const fs::path& path, const std::string& source) {
  std::error_code error;
  const fs::path folder = fs::canonical(find_source(source).path, error);
  if (error || !fs::is_directory(folder)) return;  // a file, or a pattern of files
  const fs::path place = fs::weakly_canonical(path);
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
  if (end != folder.end()) return;
  throw UsageError(
      fmt::format("'{}' lies in '{}', which is only read: name a place outside", path.string(), source));
}

Destination find_destination(const ConvertOptions& options) {
  const fs::path folder = normal(options.destination);
  const Destination destination{folder, folder.string() + ".partial"};
  require_replaceable(folder);
  require_outside(destination.folder, options.source);
  require_outside(destination.partial, options.source);
  if (fs::exists(destination.partial) && !options.resume) {
    throw UsageError(fmt::format(
        "'{}' is left from a conversion that was broken off: --resume goes on with it; or remove it",
        destination.partial.string()));
  }
  return destination;
}

FolderLock::FolderLock(const fs::path& folder) {
  fs::create_directories(folder);
  folder_ = UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) throw_errno("open " + folder.string());
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw UsageError(fmt::format("another leat-convert is writing to '{}'", folder.string()));
}

}  // namespace leat::tools
