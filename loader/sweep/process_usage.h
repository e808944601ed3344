// What processes use: CPU time and memory, as Linux counts them.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::detail {

// `pid` and all its descendants that are there now.
std::vector<int> process_tree(int pid);

// Seconds of CPU that all threads of these processes have used so far, in user and kernel mode. What is gone
// counts 0.
double cpu_seconds(const std::vector<int>& pids);

// Proportional set size: private pages plus each shared page divided by the number of processes that map it,
// so that the sum over a process tree counts every page once. In bytes; what is gone counts 0.
std::size_t pss_bytes(const std::vector<int>& pids);

}  // namespace leat::detail
