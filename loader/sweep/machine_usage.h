// What all programs of the machine use of its CPUs.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::detail {

/// Seconds for which the given CPUs were busy since the machine started, from the text of /proc/stat: for programs
/// (niced ones too), the kernel, interrupts, and other guests of the host ("steal"). Waiting for storage is not busy.
/// nullopt if the text lacks one of the CPUs.
std::optional<double> parse_busy_seconds(std::string_view proc_stat, std::span<const int> cpus,
                                         double ticks_per_second);

/// Seconds for which some task waited for a CPU since the machine started, from the text of /proc/pressure/cpu: the
/// total of the line "some". nullopt if there is none.
std::optional<double> parse_pressure_seconds(std::string_view proc_pressure_cpu);

/// The share of `usable` CPUs that others used in `seconds`, if `cpus` CPUs were busy for `busy` seconds in all and the
/// sweep itself used `own`. What others use of CPUs that the sweep could not have used anyway (usable < cpus, in a
/// limited control group) does not count. At least 0. nullopt if the kernel's figures cannot be right: less than half
/// of what the sweep used itself.
std::optional<double> others_share(double busy, double own, double seconds, double cpus, double usable);

/// The kernel's counters at one moment.
struct MachineMark {
  std::chrono::steady_clock::time_point time;
  std::optional<double> busy_seconds;  ///< of the CPUs of the affinity mask
  std::optional<double> pressure_seconds;
};

/// Reads the counters.
class MachineUsage {
 public:
  MachineUsage();  // throws SystemError
  MachineMark mark() const;

 private:
  std::vector<int> cpus_;
};

/// The CPUs and the memory of this machine.
SweptMachine describe_machine();

/// The first value of "model name" in the text of /proc/cpuinfo; empty if there is none.
std::string parse_cpu_model(std::string_view proc_cpuinfo);

}  // namespace leat::detail
