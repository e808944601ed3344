// Comparison of leat with a limit. Every case is a pair: a bare loop that does the unavoidable work (the limit), and
// leat doing the same job. Their epochs alternate.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace leat::bench {

// Runs one epoch, checks all its results, and returns the number of samples it delivered.
using Epoch = std::function<std::size_t()>;

// Registers a pair with Google Benchmark, and the target for the ratio leat / limit. The epochs are created when the
// pair first runs.
void add(const std::string& name, double target, std::function<Epoch()> make_limit,
         std::function<Epoch()> make_ours);

// Runs every added pair that --benchmark_filter selects. Prints Google Benchmark's report, then one line per pair:
// samples/s of the limit and of leat and the ratio of the two (medians over the repetitions, in each of which the two
// take turns), the lowest and the highest ratio, and the target.
void run_and_compare();

}  // namespace leat::bench
