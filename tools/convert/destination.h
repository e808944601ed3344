// The folder that a conversion writes to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "tools/convert/options.h"

namespace leat::tools {

using namespace detail;

struct Destination {
  std::filesystem::path folder;   // absolute
  std::filesystem::path partial;  // beside it, with ".partial" added to its name, until everything is written
};

// Throws UsageError if DST cannot be replaced by a rename (a link, a mount point), or is in the folder that is read.
Destination find_destination(const ConvertOptions& options);

// Throws UsageError if `path` is the source's folder, or is inside it. Links are followed.
void require_outside(const std::filesystem::path& path, const std::string& source);

/// The folder that a conversion writes into. It is created if it does not exist, and locked by this process until the
/// process ends, in whatever way. On file systems without such locks there is no lock.
///
/// The folder is called <destination>.partial, until publish() gives it the destination's name. A conversion keeps
/// its states (see resume_state.h) until then, so at every moment either something can be resumed, or the destination
/// is complete. If a process is killed after the rename, it leaves complete data with a state in it. `resume` takes
/// up this folder, too.
class WorkFolder {
 public:
  /// Throws UsageError if another process holds the folder, if the destination exists and is not an empty folder, if
  /// an earlier conversion left something that is not to be resumed, or if the folder holds anything else.
  WorkFolder(const Destination& destination, bool resume);
  ~WorkFolder();  // removes the folder if it was made here and nothing was written into it
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  bool is_published() const noexcept { return is_published_; }

  /// Returns the folder of a split, and creates it if it does not exist. Returns path() if the name is empty.
  std::filesystem::path folder_of(const std::string& split);

  /// Throws UsageError if the folder holds data of other splits than these.
  void require_splits(const std::vector<std::string>& splits) const;

  /// Renames the folder to the destination, and removes the states of its splits.
  void publish(const std::vector<std::string>& splits);

 private:
  bool take_published();
  void take_partial();
  bool hold(const std::filesystem::path& folder);
  void remove_if_made() noexcept;

  Destination destination_;
  std::filesystem::path path_;
  detail::UniqueFd lock_;
  bool is_made_ = false;       // by this object
  bool is_published_ = false;  // it has the destination's name
};

}  // namespace leat::tools
