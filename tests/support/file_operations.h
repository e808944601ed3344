// The calls that change files, seen from a test: recorded, or the place where a process dies.
//
// A program that links file_operations.cpp has these functions in the place of the C library's: mkdir, rmdir, rename,
// unlink, remove, open with O_CREAT, write, fdatasync, fsync, flock. They pass the call on.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace leat::test {

struct FileOperation {
  std::string name;  // "rename"
  std::string path;  // of what is changed; of rename, the old name

  bool operator==(const FileOperation&) const = default;
};

/// From now on the calls of this thread are added to `operations`; null: no more.
void record_file_operations(std::vector<FileOperation>* operations);

/// The calls that `function` makes on this thread, in order.
template <class Function>
std::vector<FileOperation> recorded_operations(Function&& function) {
  std::vector<FileOperation> operations;
  record_file_operations(&operations);
  function();
  record_file_operations(nullptr);
  return operations;
}

/// Runs `function` once, right before the next flock() of this thread.
void run_before_next_lock(std::function<void()> function);

/// The environment variable that has a process end itself by SIGKILL instead of its n-th such call. Without it, nothing
/// happens.
inline constexpr const char* kDieAt = "LEAT_TEST_DIE_AT";

}  // namespace leat::test
