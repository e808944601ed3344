#include "tests/loader/support/memory_cgroup.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "leat/datasets/base/cgroup.h"
#include "leat/datasets/errors.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;

namespace {

bool write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  return static_cast<bool>(out << text << std::flush);
}

}  // namespace

// Below the top: in version 2 a group that holds processes has no groups below it with controllers.
std::optional<MemoryCgroup> MemoryCgroup::make(std::size_t bytes) {
  for (const Cgroup& top : own_cgroups("memory")) {
    const fs::path folder = top.folder / ("leat-test-" + std::to_string(::getpid()));
    std::error_code failed;
    if (!fs::create_directory(folder, failed) || failed) continue;
    MemoryCgroup group(folder);
    if (write(folder / (top.version == 1 ? "memory.limit_in_bytes" : "memory.max"), std::to_string(bytes)))
      return group;
  }
  return std::nullopt;
}

MemoryCgroup::MemoryCgroup(MemoryCgroup&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

MemoryCgroup::~MemoryCgroup() {
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

void MemoryCgroup::join() const {
  if (!write(folder_ / "cgroup.procs", std::to_string(::getpid())))
    throw_errno("joining " + folder_.string());
}

}  // namespace leat::test
