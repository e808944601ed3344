// Numbers of workers on the command line.
#pragma once

#include <string_view>
#include <vector>

namespace leat::tools {

constexpr int kMaxWorkers = 1024;

// "3", or "auto": kAutoWorkers, the loader's own choice. Throws UsageError.
int parse_worker_count(std::string_view text);

// "0,1,2,4" in rising order without repetition, or "auto": 0, the powers of two up to the CPUs that may be used
// (`usable`, not necessarily whole; at least one), and that number itself. Throws UsageError naming the part that is
// no number.
std::vector<int> parse_worker_list(std::string_view text, double usable);

}  // namespace leat::tools
