#include "tests/transfer/support/pump_thread.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/loader/os/numa.h"

namespace leat::test {

std::vector<int> cpus_of_pump() {
  const std::string name = "Name:\tleat-prefetch", allowed = "Cpus_allowed_list:\t";
  std::vector<std::vector<int>> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    std::string line;
    if (!std::getline(status, line) || line != name) continue;
    while (std::getline(status, line))
      if (line.starts_with(allowed))
        found.push_back(leat::detail::parse_cpu_list(std::string_view(line).substr(allowed.size())).value());
  }
  if (found.size() != 1)
    throw Error("there are " + std::to_string(found.size()) + " threads of prefetchers, not one");
  return found.front();
}

}  // namespace leat::test
