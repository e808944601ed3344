#include "tools/run/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

#include "tools/common/command_line.h"
#include "tools/run/gpu_list.h"

namespace leat::tools {
namespace {

constexpr int kMaxRanks = 256;

ProgramText manual_text() {
  return {
      .summary = "starts the ranks of a data-parallel job on this host",
      .description =
          "Starts PROGRAM once for each rank, with the variables of torchrun that tell it which rank it is "
          "and "
          "where rank 0 listens. Everything after the name of the program belongs to the program. Each line "
          "that "
          "a rank prints is preceded by its number: \"[2] \". The ranks read nothing from standard input.\n\n"
          "If a rank fails, leat-run ends the others, by SIGTERM and then by SIGKILL, tells which rank "
          "failed "
          "first, and shows the last lines that this rank printed. SIGINT, SIGTERM, SIGHUP and SIGQUIT are "
          "forwarded to the ranks, which may finish their work; the second one kills them. SIGUSR1 and "
          "SIGUSR2 "
          "are forwarded, too. If leat-run itself is killed, the ranks are killed with it.",
      .tables = {{"Environment variables of the program",
                  {{"RANK, LOCAL_RANK", "Which rank it is, from 0"},
                   {"WORLD_SIZE, LOCAL_WORLD_SIZE", "The number of ranks"},
                   {"MASTER_ADDR, MASTER_PORT", "Where rank 0 listens, 127.0.0.1 and a free port"},
                   {"LEAT_JOB_SECRET", "A random key that only this job's ranks know, unless it is set"},
                   {"LEAT_RUN_ID, LEAT_RESTART_COUNT", "The job, and how often it was started again"},
                   {"CUDA_VISIBLE_DEVICES", "With --gpus, the GPU of its rank"},
                   {"OMP_NUM_THREADS", "Its share of the CPUs, unless it is set"}}}},
      .examples = {{"Two ranks on the CPU", "leat-run -n 2 leat-train --data synthetic:2000"},
                   {"One rank for each of four GPUs",
                    "leat-run --gpus 0-3 leat-train --data ~/data/flowers --device cuda"},
                   {"A job that is started again up to three times if a rank fails",
                    "leat-run -n 2 --restarts 3 ./train --resume"}},
      .see_also = {"leat-train"},
      .exit_status =
          "that of the first rank that failed, 128 + N if signal N killed it; 0 if none did; 124 if "
          "the time of --timeout passed; 1 if the output cannot be written; 2 if the command line is "
          "wrong, or the program cannot be started."};
}

// Returns the index in argv of the program: the first word that is neither an option nor an option's value.
int index_of_program(const CLI::App& app, int argc, const char* const* argv) {
  int i = 1;
  for (; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return i + 1;
    if (!word.starts_with('-') || word == "-") return i;
    const bool long_name = word.starts_with("--");
    const std::string name(long_name ? word.substr(0, word.find('=')) : word.substr(0, 2));
    const CLI::Option* option = app.get_option_no_throw(name);
    const bool takes_value = option != nullptr && option->get_expected_max() > 0;
    const bool value_attached = word.size() > name.size();
    if (takes_value && !value_attached) ++i;
  }
  return i;
}

}  // namespace

std::optional<RunOptions> read_run_options(int argc, const char* const* argv) {
  RunOptions options;
  double timeout = 0, grace = 3;
  std::string gpus, program;
  CLI::App app("", "leat-run");
  app.add_option("PROGRAM", program, "What to start, with its arguments")->type_name("FILE");
  auto* ranks =
      app.add_option("-n,--ranks", options.ranks, "Number of ranks; by default, that of --gpus, or 1")
          ->check(CLI::Range(1, kMaxRanks));
  app.add_option("--gpus", gpus,
                 "GPUs, such as 0,2-3 or GPU-8932f937: each rank sees one of them alone, in this order. "
                 "Numbers count "
                 "among those that CUDA_VISIBLE_DEVICES shows to leat-run")
      ->type_name("LIST");
  app.add_option("--restarts", options.restarts, "How often to start all ranks again after one has failed")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--timeout", timeout, "End the job after so many seconds; 0: never")
      ->check(number_between(0, 1e9))
      ->capture_default_str();
  app.add_option("--grace", grace, "Seconds between SIGTERM and SIGKILL for the ranks that are ended")
      ->check(number_between(0, 86400))
      ->capture_default_str();
  // CLI11 reads what precedes the program. In the rest it would look for options, and split lists in brackets.
  const bool manual = argc == 3 && std::string_view(argv[1]) == "--generate-manual";
  const int first = manual ? argc : std::min(index_of_program(app, argc, argv), argc);
  if (!read_command_line(app, manual_text(), first, argv)) return std::nullopt;
  options.command.assign(argv + first, argv + argc);
  if (options.command.empty()) throw UsageError("no program to start is given (see leat-run --help)");
  if (app.count("--gpus") > 0) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    options.gpus =
        parse_gpu_list(gpus, visible == nullptr ? std::nullopt : std::optional<std::string>(visible));
    if (ranks->count() == 0) options.ranks = static_cast<int>(options.gpus.size());
    if (static_cast<std::size_t>(options.ranks) > options.gpus.size()) {
      throw UsageError(fmt::format("--gpus {} names {} GPUs for {} ranks: each rank needs one of its own",
                                   gpus, options.gpus.size(), options.ranks));
    }
  }
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  if (timeout > 0) options.timeout = milliseconds(timeout);
  options.grace = milliseconds(grace);
  return options;
}

}  // namespace leat::tools
