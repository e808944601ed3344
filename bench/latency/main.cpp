// leat-latency: times and sizes that a data loader is felt by, each beside its target.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "bench/latency/cases.h"

int main() {
  using namespace leat::bench;
  try {
    fmt::print("{:<84} {:>10} {:>10}\n", "median of the repetitions", "leat", "target");
    for (const auto& subject : {first_batches, fairness, hand_over, memory, faults}) {
      for (const Figure& figure : subject()) {
        fmt::print("{:<84} {:>7.2f} {:<3} {:>6g} {}\n", figure.name, median(figure.values), figure.unit,
                   figure.target, median(figure.values) <= figure.target ? "" : " <- missed");
        std::fflush(stdout);
      }
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "leat-latency: {}\n", error.what());
    return 1;
  }
}
