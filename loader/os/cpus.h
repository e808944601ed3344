// The CPUs that this process may use.
#pragma once

#include <string>
#include <vector>

namespace leat::detail {

// Returns the number of CPUs that this process may use: those of the calling thread's affinity mask, or fewer if a
// control group limits the process. In that case it is not necessarily a whole number. Throws SystemError.
double usable_cpus();

// Returns the numbers of the CPUs in the calling thread's affinity mask, ascending. Throws SystemError.
std::vector<int> affinity_mask();

// Restricts the calling thread, and the threads and processes that it starts from now on, to these CPUs. Throws
// SystemError.
void set_affinity(const std::vector<int>& cpus);

// Returns the number of CPUs that the content of a cpu.max file allows (control groups version 2), or the quota and
// the period of version 1 with a space between them. "200000 100000" is 2; "max 100000" and "-1 100000" are infinity.
double parse_cpu_max(const std::string& content);

}  // namespace leat::detail
