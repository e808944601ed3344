#include "tools/convert/destination.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "leat/datasets/io/durable_file.h"
#include "tools/common/command_line.h"
#include "tools/convert/resume_state.h"
#include "tools/convert/sources.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

// Normalizes the path, since "/a/b/", "/a/./b" and "/a/b" are the same folder.
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

bool has_state_below(const fs::path& folder) {
  return has_state(folder) ||
         std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
           return entry.is_directory() && has_state(entry.path());
         });
}

// Returns whether nothing was written into the folder, nor into the folders of splits.
bool is_untouched(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return is_temporary_state(entry.path()) || (entry.is_directory() && holds_no_work(entry.path()));
  });
}

bool holds_anything(const fs::path& folder) {
  return fs::is_directory(fs::symlink_status(folder)) && !fs::is_empty(folder);
}

void remove_all_in(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

}  // namespace

void require_outside(const fs::path& path, const std::string& source) {
  std::error_code error;
  const fs::path folder = fs::canonical(path_of(source), error);
  if (error || !fs::is_directory(folder)) return;  // a file, or a pattern of files
  const fs::path place = fs::weakly_canonical(path);
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
  if (end != folder.end()) return;
  throw UsageError(
      fmt::format("'{}' lies in '{}', which is only read: name a place outside", path.string(), source));
}

Destination find_destination(const ConvertOptions& options) {
  const fs::path folder = normal(options.destination);
  Destination destination{folder, folder.string() + ".partial"};
  if (!options.resume) require_replaceable(folder);
  require_outside(destination.folder, options.source);
  require_outside(destination.partial, options.source);
  return destination;
}

WorkFolder::WorkFolder(const Destination& destination, bool resume) : destination_(destination) {
  if (resume && take_published()) return;
  if (resume && holds_anything(destination_.folder) && !fs::exists(destination_.partial)) {
    throw UsageError(fmt::format(
        "'{}' exists already, and there is nothing to resume: a conversion gets its name when it is finished",
        destination_.folder.string()));
  }
  require_replaceable(destination_.folder);
  take_partial();
  try {
    require_replaceable(destination_.folder);  // again: another process may have finished it meanwhile
    if (is_made_) sync_folder(path_.parent_path());
    if (is_untouched(path_)) {
      remove_all_in(path_);
      return;
    }
    if (!has_state_below(path_)) {
      throw UsageError(fmt::format("'{}' is no unfinished conversion: it holds no {}; remove it",
                                   path_.string(), kStateName));
    }
    if (!resume) {
      throw UsageError(fmt::format(
          "'{}' is left from a conversion that was broken off: --resume goes on with it; or remove it",
          path_.string()));
    }
  } catch (...) {
    remove_if_made();
    throw;
  }
}

WorkFolder::~WorkFolder() {
  remove_if_made();
}

// A folder that is not empty stays.
void WorkFolder::remove_if_made() noexcept {
  std::error_code ignored;
  if (is_made_ && !is_published_) fs::remove(path_, ignored);
}

// Takes over the destination if it is what an earlier run published, but did not clean up. Returns whether it is.
bool WorkFolder::take_published() {
  const fs::path& folder = destination_.folder;
  const auto is_left = [&] {
    return fs::is_directory(fs::symlink_status(folder)) && !fs::exists(destination_.partial) &&
           has_state_below(folder);
  };
  if (!is_left()) return false;
  if (!hold(folder) || !is_left()) return false;
  path_ = folder;
  is_published_ = true;
  return true;
}

void WorkFolder::take_partial() {
  path_ = destination_.partial;
  fs::create_directories(path_.parent_path());
  do {
    is_made_ = fs::create_directory(path_);
  } while (!hold(path_));
}

// Returns false if the folder was removed or renamed before it was locked.
bool WorkFolder::hold(const fs::path& folder) {
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened && errno == ENOENT) return false;
  if (!opened) throw_errno("open " + folder.string());
  lock_ = std::move(opened);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UsageError(fmt::format("another leat-convert is writing to '{}'", folder.string()));
  }
  struct stat held {
  }, named{};
  if (::fstat(lock_.get(), &held) != 0) throw_errno("stat " + folder.string());
  return ::stat(folder.c_str(), &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

fs::path WorkFolder::folder_of(const std::string& split) {
  if (split.empty()) return path_;
  fs::path folder = path_ / split;
  if (fs::create_directory(folder)) sync_folder(path_);
  return folder;
}

void WorkFolder::require_splits(const std::vector<std::string>& splits) const {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool is_expected =
        splits.front().empty() ? !entry.is_directory() : std::ranges::find(splits, name) != splits.end();
    if (is_expected) continue;
    throw UsageError(fmt::format("'{}' was begun with other splits (it holds {}): remove it and start again",
                                 path_.string(), name));
  }
}

void WorkFolder::publish(const std::vector<std::string>& splits) {
  if (!is_published_) {
    for (const std::string& split : splits) sync_folder(path_ / split);
    sync_folder(path_);
    fs::rename(path_, destination_.folder);
    path_ = destination_.folder;
    is_published_ = true;
  }
  sync_folder(path_.parent_path());
  for (const std::string& split : splits) {
    remove_state(path_ / split);
    sync_folder(path_ / split);
  }
}

}  // namespace leat::tools
