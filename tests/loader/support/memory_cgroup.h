// A memory control group of a test's own, where the system lets it make one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace leat::test {

// Removed when destroyed, by when no process may be left in it.
class MemoryCgroup {
 public:
  // nullopt where this process may not make groups (it needs root, and a hierarchy that is not mounted read-only).
  static std::optional<MemoryCgroup> make(std::size_t bytes);
  MemoryCgroup(MemoryCgroup&& other) noexcept;
  MemoryCgroup& operator=(MemoryCgroup&& other) = delete;
  ~MemoryCgroup();

  void join() const;  // the calling process

 private:
  explicit MemoryCgroup(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  // empty: moved from
};

}  // namespace leat::test
