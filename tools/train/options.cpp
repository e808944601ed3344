#include "tools/train/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include "tools/common/command_line.h"
#include "tools/common/standard_tables.h"
#include "tools/common/worker_count.h"

namespace leat::tools {
namespace {

ProgramText manual_text() {
  return {
      .summary = "trains a small image classifier on data-parallel replicas, without any framework",
      .description =
          "The model is a multi-layer perceptron. Several replicas in one process, on the CPU: "
          "--replicas N. Several processes of one replica each: start them with leat-run, torchrun, mpirun "
          "or srun; on the CPU they share memory within a host and talk by Gloo between hosts, on GPUs by "
          "NCCL. The result does not depend on how the batches are shared out, except for rounding. Options "
          "and data must be the same on all ranks, and are compared before the first step.\n\n"
          "Ranks on several hosts need a common LEAT_JOB_SECRET, so that nobody else can join, and those of "
          "mpirun need LEAT_MASTER_ADDR or --master-addr, too.",
      .tables = {data_uri_table(),
                 environment_table(
                     {{"RANK, WORLD_SIZE", "Which of how many processes this is, from 0"},
                      {"LOCAL_RANK",
                       "Which of this host's processes this is; chooses the GPU, unless the launcher shows "
                       "only one (default: RANK)"},
                      {"MASTER_ADDR, MASTER_PORT", "Where rank 0 listens for the others"},
                      {"LEAT_MASTER_ADDR, LEAT_MASTER_PORT", "The same, for all launchers"},
                      {"LEAT_JOB_SECRET", "A key of 16 or more characters that only the job's ranks know"},
                      {"LEAT_LAUNCHER", "As --launcher"}})},
      .examples = {{"Two replicas in one process, on generated images",
                    "leat-train --data synthetic:2000 --replicas 2"},
                   {"Two processes", "leat-run -n 2 leat-train --data synthetic:2000"},
                   {"One process for each of four GPUs",
                    "leat-run --gpus 0-3 leat-train --data ~/data/flowers --device cuda"},
                   {"Two processes, started again from the last checkpoint if one fails",
                    "leat-run -n 2 --restarts 3 leat-train --data synthetic:2000 --checkpoint run.ckpt "
                    "--checkpoint-steps 10 --resume"},
                   {"A folder of images, with four workers, and the figures as JSON",
                    "leat-train --data ~/data/flowers --num-workers 4 --json figures.json"}},
      .see_also = {"leat-run", "leat-sweep", "leat-convert"}};
}

constexpr std::size_t kMaxWidth = 1 << 20;

// Returns the numbers of a list such as "512,256". Returns nullopt if a part is empty or not a number from 1 to
// kMaxWidth.
std::optional<std::vector<std::size_t>> parse_widths(std::string_view text) {
  std::vector<std::size_t> widths;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const auto width = parse_number(text.substr(first, comma - first), 1, kMaxWidth);
    if (!width) return std::nullopt;
    widths.push_back(*width);
    first = comma + 1;
  }
  return widths;
}

CLI::Validator widths_check() {
  return {[](std::string& text) {
            if (parse_widths(text)) return std::string();
            return fmt::format("'{}' is no list of numbers from 1 to {}, such as 512,256", text, kMaxWidth);
          },
          fmt::format("INT in [1 - {}]", kMaxWidth)};
}

void add_model_options(CLI::App& app, TrainOptions& options, std::vector<std::string>& hidden) {
  app.add_option("--image-size", options.image_size, "Height and width that images are resized to, in pixels")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--hidden", hidden, "Widths of the hidden layers, such as 512,256")
      ->type_name("N")
      ->check(widths_check())
      ->capture_default_str();
  app.add_option("--lr", options.learning_rate, "Peak of the learning rate, which rises and then falls to 0")
      ->check(positive_number())
      ->capture_default_str();
  app.add_option("--momentum", options.momentum, "Momentum of SGD")
      ->check(number_between(0, 1))
      ->capture_default_str();
  app.add_option("--weight-decay", options.weight_decay, "Weight decay of SGD, not applied to biases")
      ->check(non_negative_number())
      ->capture_default_str();
}

void add_world_options(CLI::App& app, WorldOverrides& world) {
  app.add_option("--launcher", world.launcher,
                 "Whose variables say which rank this is; none: train alone. By default, those that are set")
      ->check(CLI::IsMember(
          {"leat-run", "torchrun", "env", "openmpi", "mvapich2", "hydra", "srun", "pmi", "none"}));
  app.add_option("--master-addr", world.master_address, "Host of rank 0, if the launcher does not tell it")
      ->type_name("HOST");
  app.add_option("--master-port", world.master_port, "Port of rank 0, if the launcher's is not free")
      ->check(CLI::Range(1, 65535));
}

}  // namespace

std::optional<TrainOptions> read_train_options(int argc, const char* const* argv) {
  TrainOptions options;
  std::string workers = "auto", device = "cpu";
  std::vector<std::string> hidden{fmt::format("{}", fmt::join(options.hidden, ","))};
  CLI::App app("", "leat-train");
  app.add_option("--data", options.data, "What to train on, a data URI: see below")
      ->type_name("URI")
      ->required();
  app.add_option("--epochs", options.epochs, "How often each image is trained on")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size,
                 "Images of one step, over all replicas of all processes; a multiple of WORLD_SIZE")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--num-workers,--workers", workers,
                 "Worker processes that load images, or auto: as many as help, found out while it runs")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "Replicas of the model in this process")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--device", device, "Where to train")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  add_world_options(app, options.world);
  app.add_option("--seed", options.seed, "Of the initial parameters, the order and the random crops")
      ->capture_default_str();
  add_model_options(app, options, hidden);
  add_leniency(app, options.allow_corrupt, options.allow_empty);
  auto* const checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "Write the state of the run to this file after each epoch: the model, the optimizer and "
                     "the place in the data. With several processes, rank 0 writes it")
          ->type_name("FILE")
          ->check(CLI::Validator(
              [](const std::string& name) { return name.empty() ? "the name of the file is empty" : ""; },
              ""));
  app.add_option("--checkpoint-steps", options.checkpoint_steps,
                 "Write the checkpoint also after every so many steps of an epoch")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000))
      ->needs(checkpoint);
  app.add_flag("--resume", options.resume,
               "Go on where the checkpoint was written, on any number of ranks, which all read the file. "
               "Without the file, begin")
      ->needs(checkpoint);
  app.add_option("--json", options.json, "Write the figures to this file, too")->type_name("FILE");
  if (!read_command_line(app, manual_text(), argc, argv)) return std::nullopt;
  options.num_workers = parse_worker_count(workers);
  options.hidden.clear();
  for (const std::string& list : hidden) {
    const auto widths = parse_widths(list).value();  // they have been checked
    options.hidden.insert(options.hidden.end(), widths.begin(), widths.end());
  }
  options.device = device == "cuda" ? DeviceKind::cuda : DeviceKind::host;
  return options;
}

}  // namespace leat::tools
