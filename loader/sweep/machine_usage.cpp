#include "leat/loader/sweep/machine_usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "leat/datasets/base/memory_limits.h"
#include "leat/loader/os/cpus.h"

namespace leat::detail {
namespace {

// Columns of a line "cpuN ..." of /proc/stat; see proc(5). The time of guests of this machine, in the columns after
// these, is part of user and nice.
enum Column { user, nice, system, idle, iowait, irq, softirq, steal, kColumns };

std::string read_text(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the rest of the first line that begins with `start`, or nullopt if there is no such line.
std::optional<std::string_view> line_after(std::string_view text, std::string_view start) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(start)) return line.substr(start.size());
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<double> busy_ticks(std::string_view numbers) {
  std::array<double, kColumns> ticks{};
  std::istringstream in{std::string(numbers)};
  for (double& column : ticks) {
    if (!(in >> column)) return std::nullopt;
  }
  return ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq] + ticks[steal];
}

}  // namespace

std::optional<double> parse_busy_seconds(std::string_view proc_stat, std::span<const int> cpus,
                                         double ticks_per_second) {
  double sum = 0;
  for (const int cpu : cpus) {
    const auto numbers = line_after(proc_stat, fmt::format("cpu{} ", cpu));
    const auto ticks = numbers ? busy_ticks(*numbers) : std::nullopt;
    if (!ticks) return std::nullopt;
    sum += *ticks;
  }
  return sum / ticks_per_second;
}

std::optional<double> parse_pressure_seconds(std::string_view proc_pressure_cpu) {
  constexpr std::string_view kTotal = "total=";
  const auto line = line_after(proc_pressure_cpu, "some ");
  const std::size_t at = line ? line->find(kTotal) : std::string_view::npos;
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line->substr(at + kTotal.size());
  std::uint64_t microseconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), microseconds);
  if (error != std::errc()) return std::nullopt;
  return static_cast<double>(microseconds) * 1e-6;
}

std::optional<double> others_share(double busy, double own, double seconds, double cpus, double usable) {
  constexpr double kTick = 0.01;  // s; a difference of counters may be off by one tick for each CPU
  if (seconds <= 0 || usable <= 0) return std::nullopt;
  if (busy < own / 2 - kTick * cpus) return std::nullopt;
  const double others = (busy - own) / seconds;
  const double out_of_reach = std::max(0.0, cpus - usable);
  return std::max(0.0, others - out_of_reach) / usable;
}

std::string parse_cpu_model(std::string_view proc_cpuinfo) {
  const auto rest = line_after(proc_cpuinfo, "model name");
  const std::size_t colon = rest ? rest->find(':') : std::string_view::npos;
  if (colon == std::string_view::npos) return {};
  const std::size_t first = rest->find_first_not_of(' ', colon + 1);
  return first == std::string_view::npos ? std::string() : std::string(rest->substr(first));
}

MachineUsage::MachineUsage() : cpus_(affinity_mask()) {}

MachineMark MachineUsage::mark() const {
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.time = std::chrono::steady_clock::now(),
          .busy_seconds = parse_busy_seconds(read_text("/proc/stat"), cpus_, ticks),
          .pressure_seconds = parse_pressure_seconds(read_text("/proc/pressure/cpu"))};
}

SweptMachine describe_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  return {.usable_cpus = usable_cpus(),
          .cpus = static_cast<int>(std::max(cpus, 1L)),
          .cpu_model = parse_cpu_model(read_text("/proc/cpuinfo")),
          .memory_bytes = static_cast<std::size_t>(std::max(pages, 0L)) * page_size()};
}

}  // namespace leat::detail
