// The command line of leat-sweep.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::tools {

enum class Output {
  u8,   // the batch as the workers wrote it: u8 [rows, height, width, 3]
  f32,  // normalized by the workers: f32 [rows, 3, height, width]
};

struct SweepOptions {
  std::string data;
  std::vector<int> workers;  // in rising order, each once
  std::size_t batch_size = 64;
  int image_size = 224;
  bool augment = true;  // --transform train
  Output output = Output::u8;
  double seconds = 5;  // for each number of workers, over all rounds
  int rounds = 5;
  std::uint64_t seed = 0;
  bool allow_corrupt = false;  // as in JpegLimits
  bool allow_empty = false;    // as in ImageFolderOptions
  std::string json;            // file to write; empty for none
  std::string report;          // as `json`
};

// Returns the time for one number of workers in one round: at least a millisecond.
std::chrono::milliseconds round_time(const SweepOptions& options);

// Returns nullopt if --help or --version was given and its text has been printed. Throws UsageError.
std::optional<SweepOptions> read_sweep_options(int argc, const char* const* argv);

}  // namespace leat::tools
