// Where a conversion writes to.
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
  std::filesystem::path partial;  // beside it: its name with ".partial" behind, until all is written
};

// Throws UsageError where DST could not be replaced by a rename (a link, a mount point), or lies in the folder that is
// read.
Destination find_destination(const ConvertOptions& options);

// Throws UsageError where `path` is the source's folder, or in it. Links are followed.
void require_outside(const std::filesystem::path& path, const std::string& source);

/// The folder that a conversion writes into, made where there is none, and held by this process until it ends, however.
/// File systems that know no such locks go without.
///
/// <destination>.partial, from its making to publish(), which gives it the destination's name. A conversion keeps its
/// states (see resume_state.h) until then, so at every moment either there is something to resume, or the destination
/// is whole. What a process leaves that is killed behind the rename, whole data with a state in it, is taken up again
/// by `resume`, too.
class WorkFolder {
 public:
  /// Throws UsageError where another process holds the folder, there is something at the destination other than an
  /// empty folder, something is left of an earlier conversion that is not to be resumed, or the folder holds anything
  /// else.
  WorkFolder(const Destination& destination, bool resume);
  ~WorkFolder();  // removes a folder that was made here and into which nothing was written
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  bool is_published() const noexcept { return is_published_; }

  /// The folder of a split, made where there is none; path() itself where the name is empty.
  std::filesystem::path folder_of(const std::string& split);

  /// Throws UsageError where the folder holds data of other splits than these.
  void require_splits(const std::vector<std::string>& splits) const;

  /// Gives the folder its name, and removes the states of its splits.
  void publish(const std::vector<std::string>& splits);

 private:
  bool take_published();
  void take_partial();
  bool hold(const std::filesystem::path& folder);
  void remove_if_made() noexcept;

  Destination destination_;
  std::filesystem::path path_;
  detail::UniqueFd lock_;
  bool is_made_ = false;       // here
  bool is_published_ = false;  // it has the destination's name
};

}  // namespace leat::tools
