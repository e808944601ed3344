// A folder for one test, removed with all it holds.
#pragma once

#include <filesystem>
#include <string_view>

namespace leat::test {

// Lies in the system's folder for temporary files and has a name of its own. Made and removed in the process
// that constructed it: a forked child that leaves by _exit does not remove it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

  // Writes a file, making its folders; returns its full path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace leat::test
