// What a benchmark is compared with: every case is a pair, a bare loop that does the unavoidable work (the limit) and
// leat doing the same job, epoch by epoch in turn.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace leat::bench {

// Runs one epoch and returns the number of samples it delivered, all of whose results it has checked.
using Epoch = std::function<std::size_t()>;

// Registers a pair with Google Benchmark, and the ratio leat / limit that is to be reached. The epochs are made when
// the pair first runs.
void add(const std::string& name, double target, std::function<Epoch()> make_limit,
         std::function<Epoch()> make_ours);

// Runs everything that was added and that --benchmark_filter selects; prints Google Benchmark's report, then a line
// per pair: samples/s of the limit and of leat and the ratio of the two (medians over the repetitions, in each of
// which the two take turns), the lowest and the highest ratio, the target.
void run_and_compare();

}  // namespace leat::bench
