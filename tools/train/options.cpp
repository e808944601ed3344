#include "tools/train/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/common/command_line.h"
#include "tools/common/data_source.h"
#include "tools/common/worker_count.h"

namespace leat::tools {
namespace {

constexpr const char* kAbout =
    "Trains a small image classifier (a multi-layer perceptron) on data-parallel replicas.\n\n"
    "Several replicas in one process: --replicas N, on the CPU. Several processes, one replica each: set "
    "RANK,\n"
    "WORLD_SIZE, MASTER_ADDR and MASTER_PORT (and LOCAL_RANK, which chooses the GPU) as torchrun does; they "
    "talk by Gloo\n"
    "on the CPU and by NCCL on GPUs. The result does not depend on how the batches are shared out, but for "
    "rounding.";

void add_model_options(CLI::App& app, TrainOptions& options) {
  app.add_option("--image-size", options.image_size, "Height and width that images are resized to, in pixels")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--hidden", options.hidden, "Widths of the hidden layers, such as 512,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--lr", options.learning_rate, "Peak of the learning rate, which rises and then falls to 0")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--momentum", options.momentum, "Momentum of SGD")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--weight-decay", options.weight_decay, "Weight decay of SGD, not applied to biases")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

}  // namespace

std::optional<TrainOptions> read_train_options(int argc, const char* const* argv) {
  TrainOptions options;
  std::string workers = "auto", device = "cpu";
  CLI::App app(kAbout, "leat-train");
  app.add_option("--data", options.data, fmt::format("What to train on: {}", data_uri_help()))->required();
  app.add_option("--epochs", options.epochs, "How often each image is trained on")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size,
                 "Images of one step, over all replicas of all processes; a multiple of WORLD_SIZE")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--num-workers", workers,
                 "Worker processes that load images, or auto: as many as help, found out while it runs")
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "Replicas of the model in this process")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--device", device, "Where to train")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the initial parameters, the order and the random crops")
      ->capture_default_str();
  add_model_options(app, options);
  app.add_option("--json", options.json, "Write the figures to this file, too");
  if (!read_command_line(app, argc, argv)) return std::nullopt;
  options.num_workers = parse_worker_count(workers);
  options.device = device == "cuda" ? DeviceKind::cuda : DeviceKind::host;
  return options;
}

}  // namespace leat::tools
