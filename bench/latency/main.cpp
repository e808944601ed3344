// leat-latency: measures the times and sizes of a data loader that users notice, each with its target.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/latency/cases.h"
#include "tools/common/command_line.h"

namespace {

leat::tools::ProgramText manual_text() {
  return {.summary = "measures times and sizes that a data loader is felt by, each beside its target",
          .description =
              "First batches, fairness, hand-over, memory, and the recovery from workers and parents that "
              "die. Takes a minute or two; the figures mean something on an idle machine only.",
          .tables = {},
          .examples = {{"All figures", "leat-latency"}},
          .see_also = {"leat-bench"}};
}

void run() {
  using namespace leat::bench;
  fmt::print("{:<84} {:>10} {:>10}\n", "median of the repetitions", "leat", "target");
  for (const auto& subject : {first_batches, fairness, hand_over, memory, faults}) {
    for (const Figure& figure : subject()) {
      leat::tools::print_line(fmt::format("{:<84} {:>7.2f} {:<3} {:>6g} {}", figure.name,
                                          median(figure.values), figure.unit, figure.target,
                                          median(figure.values) <= figure.target ? "" : " <- missed"));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-latency", [&] {
    CLI::App app("", "leat-latency");
    if (leat::tools::read_command_line(app, manual_text(), argc, argv)) run();
  });
}
