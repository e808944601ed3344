#include "leat/parallel/store/process_ancestor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace leat::detail {
namespace {

struct ProcessEntry {
  std::string program;
  long parent = 0;
  std::string start_time;  // in clock ticks since the machine was started
};

// Reads /proc/PID/stat: "1234 (the name) S 1230 ...", in which the name may hold parentheses and spaces.
std::optional<ProcessEntry> entry_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  constexpr int kFieldsBetween = 17;  // of the parent (field 4) and the start time (field 22)
  ProcessEntry entry{.program = line.substr(open + 1, close - open - 1), .parent = 0, .start_time = {}};
  std::istringstream fields(line.substr(close + 1));
  std::string state, skipped;
  fields >> state >> entry.parent;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  if (!(fields >> entry.start_time)) return std::nullopt;
  return entry;
}

}  // namespace

std::optional<std::string> ancestor_named(std::string_view program) {
  for (long pid = ::getppid(); pid > 1;) {
    const auto entry = entry_of(pid);
    if (!entry) return std::nullopt;
    if (entry->program == program) return fmt::format("{}.{}", pid, entry->start_time);
    pid = entry->parent;
  }
  return std::nullopt;
}

}  // namespace leat::detail
