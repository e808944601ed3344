// What a benchmark is compared with: every case is a pair, a bare loop that does the unavoidable work (the limit) and
// leat doing the same job, measured in one run, in turn.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

namespace leat::bench {

// Runs one epoch and returns the number of samples it delivered, all of whose results it has checked.
using Epoch = std::function<std::size_t()>;

struct Comparison {
  std::string name;  // "tiny samples, 2 workers"
  Epoch limit;
  Epoch ours;
  double target = 0;  // the ratio ours / limit to be reached
};

// Registers both sides with Google Benchmark. The epochs are made by `make` when their benchmark first runs.
void add(const std::string& name, double target, std::function<Epoch()> make_limit,
         std::function<Epoch()> make_ours);

// Runs everything that was added and that --benchmark_filter selects; prints Google Benchmark's report, then a line
// per pair: samples/s of the limit and of ours (medians over the repetitions), their ratio, the target.
void run_and_compare();

}  // namespace leat::bench
