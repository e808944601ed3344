// leat-cold-cache [--samples N] [--kilobytes K | --images FOLDER] [--rounds R]
//
// Samples per second of leat records that lie on the disk and not in memory: read when they are wanted, and announced
// before; beside those of records in memory. One epoch of each in turn, over so many rounds; prints the medians. Only
// reads: nothing is decoded. Before each cold epoch the shards are dropped from the page cache (a disk's own cache
// is not).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/cold_cache/cold_records.h"
#include "bench/figure.h"

namespace {

using namespace leat::bench;

struct Options {
  RecordsToWrite records{1000, 0, {}};
  std::size_t kilobytes = 110;
  int rounds = 5;
};

Options read_options(int argc, char** argv, CLI::App& app) {
  Options options;
  std::string images;
  app.add_option("--samples", options.records.samples,
                 "of an epoch: one of each four records that are written")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  auto* const size = app.add_option("--kilobytes", options.kilobytes, "of each record")
                         ->check(CLI::PositiveNumber)
                         ->capture_default_str();
  app.add_option("--images", images, "an image folder, whose files are the records")
      ->check(CLI::ExistingDirectory)
      ->excludes(size);
  app.add_option("--rounds", options.rounds, "epochs of each kind")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.parse(argc, argv);
  options.records.bytes = options.kilobytes * 1000;
  if (!images.empty()) options.records.images = images;
  return options;
}

constexpr std::array kWorkers{1, 2, 4};
enum Kind { when_wanted, ahead, in_memory };

void run(const Options& options) {
  const std::filesystem::path folder = LEAT_BENCH_DATA;
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
  CLI::App app("samples/s of leat records that are not in memory, with and without reading ahead",
               "leat-cold-cache");
  try {
    run(read_options(argc, argv, app));
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "leat-cold-cache: {}\n", error.what());
    return 1;
  }
}
