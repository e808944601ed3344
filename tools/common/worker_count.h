// Numbers of workers on the command line.
#pragma once

#include <string_view>
#include <vector>

namespace leat::tools {

constexpr int kMaxWorkers = 1024;

// Parses "3", or "auto", which means kAutoWorkers, the loader's own choice. Throws UsageError.
int parse_worker_count(std::string_view text);

// Parses "0,1,2,4", and returns the numbers in rising order without repetition. "auto" means 0, the powers of two up
// to the number of CPUs that may be used (`usable`, not necessarily an integer; at least one), and that number
// itself. Throws UsageError naming the part that is not a number.
std::vector<int> parse_worker_list(std::string_view text, double usable);

}  // namespace leat::tools
