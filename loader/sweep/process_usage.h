// Measures the CPU time and the memory of processes, as Linux counts them.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::detail {

// Returns `pid` and the ids of all its descendants that exist now.
std::vector<int> process_tree(int pid);

// Returns the CPU time in seconds that all threads of these processes have used so far, in user and kernel mode.
// Processes that are gone count 0.
double cpu_seconds(const std::vector<int>& pids);

// Returns the sum of the processes' proportional set sizes, in bytes. The proportional set size of a process is its
// private pages plus each shared page divided by the number of processes that map it, so that the sum over a process
// tree counts every page once. Processes that are gone count 0.
std::size_t pss_bytes(const std::vector<int>& pids);

}  // namespace leat::detail
