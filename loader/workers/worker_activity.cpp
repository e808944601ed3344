#include "leat/loader/workers/worker_activity.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>
#include <vector>

namespace leat::detail {

namespace {

// Describes a process state; proc(5) lists the letters.
std::string_view meaning_of(char state) {
  switch (state) {
    case 'R':
      return "runs";
    case 'S':
      return "sleeps";
    case 'D':
      return "waits for a device or a file system, and cannot be interrupted";
    case 'T':
      return "is stopped";
    case 't':
      return "is held by a debugger";
    case 'Z':
    case 'X':
      return "has ended";
    default:
      return "is in an unknown state";
  }
}

double seconds_since(std::uint64_t ns) {
  return static_cast<double>(steady_ns() - ns) / 1e9;
}

std::string describe_work(const SlotTable& table, std::size_t worker) {
  const WorkerRecord& record = table.worker_record(worker);
  const std::uint64_t since = record.busy_since.load();
  const std::vector<Claim> held = table.held_by(worker);
  if (held.empty() || since == 0) return "waits for work";
  const std::size_t row = table.row_in_progress(held.front());
  if (row >= table.layout().capacity()) return "has just finished a batch";
  return fmt::format("has been at sample {} for {:.3g} s", table.indices(held.front().slot)[row],
                     seconds_since(since));
}

}  // namespace

std::string describe_process(int pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(stat, text)) return "is gone";
  const std::size_t name_end = text.rfind(')');  // the name may contain any character
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return "is gone";
  std::string description(meaning_of(text[name_end + 2]));
  std::ifstream wchan(fmt::format("/proc/{}/wchan", pid));
  std::string channel;
  if (std::getline(wchan, channel) && !channel.empty() && channel != "0") description += " in " + channel;
  return description;
}

std::string describe_worker(const SlotTable& table, std::size_t worker) {
  const WorkerRecord& record = table.worker_record(worker);
  const int pid = record.pid.load();
  const std::string name =
      pid == 0 ? fmt::format("worker {}", worker) : fmt::format("worker {} (process {})", worker, pid);
  const std::string work = record.up.load()
                               ? describe_work(table, worker)
                               : "has not come up: it is still at its start, or in worker_init_fn";
  if (pid == 0) return fmt::format("{} {}", name, work);
  return fmt::format("{} {}, and {}", name, work, describe_process(pid));
}

}  // namespace leat::detail
