// leat-transfer: measures the cost of bringing batches to a device.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "bench/figure.h"
#include "bench/transfer/cases.h"
#include "tools/common/command_line.h"
#include "tools/common/worker_count.h"

namespace {

using namespace leat::bench;

void print(const Pair& pair) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < pair.ours.size(); ++i) ratios.push_back(pair.ours[i] / pair.limit[i]);
  const auto [least, greatest] = std::minmax_element(ratios.begin(), ratios.end());
  leat::tools::print_line(fmt::format("{:<40}{:>10.1f}{:>10.1f} {:<8}{:>7.3f}  ({:.3f} to {:.3f}){}",
                                      pair.name, median(pair.limit), median(pair.ours), pair.unit,
                                      median(ratios), *least, *greatest,
                                      pair.target > 0 ? fmt::format("  target {:.2f}", pair.target) : ""));
}

leat::Device& device_of(const std::string& name) {
  if (name == "cpu") return leat::host_device();
  constexpr std::string_view prefix = "cuda:";
  if (name.starts_with(prefix) && name.size() == prefix.size() + 1 && name.back() >= '0' &&
      name.back() <= '9')
    return leat::cuda_device(name.back() - '0');
  throw leat::tools::UsageError(fmt::format("--device {}: give cpu or cuda:0 to cuda:9", name));
}

void measure(leat::Device& device, const TransferOptions& options) {
  fmt::print("{}; {} workers; batches of {} images of 224 x 224 x 3 bytes; {} rounds\n\n", device.name(),
             options.workers, options.batch_size, options.rounds);
  fmt::print("{:<40}{:>10}{:>10} {:<8}{:>7}\n", "", "limit", "leat", "", "ratio");
  for (const Pair& pair : compare_copies(device, options)) print(pair);
  for (const Pair& pair : compare_overlap(device, options)) print(pair);
  print(compare_slow_samples(device, options));
  for (const Pair& pair : compare_normalization(device, options)) print(pair);
  for (const Pair& pair : compare_batch_operations(device, options)) print(pair);
  for (const std::string& line : describe_registration(device)) fmt::print("{}\n", line);
}

leat::tools::ProgramText manual_text() {
  return {.summary = "measures what the way to a device costs, against its limits",
          .description =
              "Copies against a bare loop of page-locked copies, steps against device work alone, "
              "normalization and other operations on batches against a copy within the device, and "
              "page-locking. Prints the medians of both "
              "sides, which take turns, and the median, least and greatest ratio.",
          .tables = {},
          .examples = {{"The first GPU", "leat-transfer --device cuda:0"}},
          .see_also = {"leat-bench", "leat-latency"}};
}

void run(int argc, char** argv) {
  TransferOptions options;
  std::string device = "cuda:0";
  CLI::App app("", "leat-transfer");
  app.add_option("--device", device, "cpu, or cuda: and a number")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--num-workers", options.workers, "Worker processes")
      ->check(CLI::Range(1, leat::tools::kMaxWorkers))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size, "Images per batch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--batches", options.batches, "Batches of an epoch")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Rounds of each measurement")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  if (leat::tools::read_command_line(app, manual_text(), argc, argv)) measure(device_of(device), options);
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-transfer", [&] { run(argc, argv); });
}
