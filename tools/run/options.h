// The command line of leat-run.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace leat::tools {

struct RunOptions {
  int ranks = 1;
  std::vector<std::string> gpus;  // one for each rank, or more; empty if the ranks are to see all
  int restarts = 0;               // how often a job that fails is started again
  std::optional<std::chrono::milliseconds> timeout;  // of the whole job
  std::chrono::milliseconds grace{3000};             // between SIGTERM and SIGKILL
  std::vector<std::string> command;                  // the program and its arguments
};

// Returns nullopt if --help or --version was given and its text has been printed. Throws UsageError.
std::optional<RunOptions> read_run_options(int argc, const char* const* argv);

}  // namespace leat::tools
