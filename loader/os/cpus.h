// The CPUs that this process may use.
#pragma once

#include <string>
#include <vector>

namespace leat::detail {

// How many: those of its affinity mask, or less where a control group limits it; then not
// necessarily a whole number. Throws SystemError.
double usable_cpus();

// The numbers of the CPUs of the affinity mask of the calling thread, rising. Throws SystemError.
std::vector<int> affinity_mask();

// Restricts the calling thread, and what it forks from now on, to these CPUs. Throws SystemError.
void set_affinity(const std::vector<int>& cpus);

// CPUs that the content of a cpu.max file allows, or the quota and the period of version 1, with a space between them
// ("200000 100000" is 2; "max 100000" and "-1 100000" are infinity).
double parse_cpu_max(const std::string& content);

}  // namespace leat::detail
