// Measures how much all programs of the machine use its CPUs.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::detail {

/// Returns the seconds for which the given CPUs were busy since the machine started, summed over the CPUs, from the
/// text of /proc/stat. Busy means running programs (also niced ones), the kernel, interrupts, or other guests of the
/// host ("steal"); waiting for storage does not count. Returns nullopt if the text lacks one of the CPUs.
std::optional<double> parse_busy_seconds(std::string_view proc_stat, std::span<const int> cpus,
                                         double ticks_per_second);

/// Returns the seconds for which some task waited for a CPU since the machine started, from the text of
/// /proc/pressure/cpu: the total of the line "some". Returns nullopt if there is no such line.
std::optional<double> parse_pressure_seconds(std::string_view proc_pressure_cpu);

/// Returns the share of `usable` CPUs that other programs used in `seconds`, if `cpus` CPUs were busy for `busy`
/// seconds in all, of which the sweep itself used `own` seconds. Use of CPUs that the sweep could not have used
/// anyway (usable < cpus, in a limited control group) does not count. The result is at least 0. Returns nullopt if
/// `seconds` or `usable` is not above 0, or if the kernel's figures cannot be right, because `busy` is less than half
/// of `own`.
std::optional<double> others_share(double busy, double own, double seconds, double cpus, double usable);

/// The kernel's counters at one point in time.
struct MachineMark {
  std::chrono::steady_clock::time_point time;
  std::optional<double> busy_seconds;  ///< of the CPUs of the affinity mask
  std::optional<double> pressure_seconds;
};

/// Reads the kernel's counters.
class MachineUsage {
 public:
  MachineUsage();  // throws SystemError
  MachineMark mark() const;

 private:
  std::vector<int> cpus_;
};

/// Returns the CPUs and the memory of this machine.
SweptMachine describe_machine();

/// Returns the first value of "model name" in the text of /proc/cpuinfo, or an empty text if there is none.
std::string parse_cpu_model(std::string_view proc_cpuinfo);

}  // namespace leat::detail
