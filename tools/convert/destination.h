// Where a conversion writes to.
#pragma once

#include <filesystem>

#include "loader/base/unique_fd.h"
#include "tools/convert/options.h"

namespace leat::tools {

struct Destination {
  std::filesystem::path folder;   // absolute
  std::filesystem::path partial;  // beside it: its name with ".partial" behind, until all is written
};

// Throws UsageError where there is something at DST other than an empty folder, it could not be replaced by a rename (a
// link, a mount point), it lies in the folder that is read, or something is left there of an earlier conversion that is
// not to be resumed.
Destination find_destination(const ConvertOptions& options);

// Throws UsageError where `path` is the source's folder, or in it. Links are followed.
void require_outside(const std::filesystem::path& path, const std::string& source);

// Makes the folder where there is none, and holds it for this process: UsageError where another one does. A process that
// ends, however, leaves it. File systems that know no such locks go without.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  UniqueFd folder_;
};

}  // namespace leat::tools
