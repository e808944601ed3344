// leat-cold-cache: measures loading of records that are not in memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/cold_cache/cold_records.h"
#include "bench/data_folder.h"
#include "bench/figure.h"
#include "tools/common/command_line.h"
#include "tools/common/standard_tables.h"

namespace {

using namespace leat::bench;

struct Options {
  RecordsToWrite records{1000, 0, {}};
  std::size_t kilobytes = 110;
  int rounds = 5;
};

leat::tools::ProgramText manual_text() {
  return {.summary = "reads leat records that are not in memory, announced before and not",
          .description =
              "Prints samples per second with 1, 2 and 4 workers: read when they are wanted, announced "
              "before, and beside them those of records in memory; one epoch of each in turn, and the "
              "medians. It only reads: nothing is decoded. Before each cold epoch the shards are dropped "
              "from the page cache (a disk's own cache is not). The records are written "
              "below LEAT_CACHE_DIR, which chooses the disk.",
          .tables = {leat::tools::environment_table()},
          .examples = {{"Records of 30 KB on another disk",
                        "LEAT_CACHE_DIR=/mnt/disk leat-cold-cache --kilobytes 30"}},
          .see_also = {"leat-bench", "leat-sweep"}};
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  std::string images;
  CLI::App app("", "leat-cold-cache");
  app.add_option("--samples", options.records.samples,
                 "Records of an epoch: one of each four that are written")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  auto* const size = app.add_option("--kilobytes", options.kilobytes, "Size of each record")
                         ->check(CLI::Range(1, 1 << 20))
                         ->capture_default_str();
  app.add_option("--images", images, "An image folder, whose files are the records")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory)
      ->excludes(size);
  app.add_option("--rounds", options.rounds, "Epochs of each kind")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  if (!leat::tools::read_command_line(app, manual_text(), argc, argv)) return std::nullopt;
  options.records.bytes = options.kilobytes * 1000;
  if (!images.empty()) options.records.images = images;
  return options;
}

constexpr std::array kWorkers{1, 2, 4};
enum Kind { when_wanted, ahead, in_memory };

void run(const Options& options) {
  const std::filesystem::path folder = data_folder("cold-records");
  write_records(folder, options.records);
  const leat::RecordDataset records(folder);
  std::map<int, std::array<std::vector<double>, 3>> rates;
  for (int round = 0; round < options.rounds; ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    for (const int workers : kWorkers) {
      rates[workers][when_wanted].push_back(measure(records, {workers, true, false}, seed));
      rates[workers][ahead].push_back(measure(records, {workers, true, true}, seed));
      rates[workers][in_memory].push_back(measure(records, {workers, false, true}, seed));
    }
  }
  fmt::print("{:<9}{:>16}{:>16}{:>8}{:>16}\n", "workers", "cold", "cold, ahead", "ratio", "in memory");
  for (const auto& [workers, kinds] : rates) {
    const double cold = median(kinds[when_wanted]), announced = median(kinds[ahead]);
    fmt::print("{:<9}{:>16.0f}{:>16.0f}{:>8.2f}{:>16.0f}\n", workers, cold, announced, announced / cold,
               median(kinds[in_memory]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-cold-cache", [&] {
    if (const auto options = read_options(argc, argv)) run(*options);
  });
}
