#include "tools/train/communicators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leat/parallel/local_group.h"
#include "leat/parallel/store/sha256.h"
#include "leat/parallel/world.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;

namespace {

// Connects to the other ranks. Throws UsageError if the address or the settings of the ranks are wrong.
World meet(const WorldSettings& settings, const std::vector<JobSetting>& same) {
  try {
    World world(settings);
    world.compare_settings(same);
    return world;
  } catch (const ArgumentError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

WorldSettings find_world(const TrainOptions& options) {
  try {
    return world_from_environment(options.world).value_or(WorldSettings());
  } catch (const ArgumentError& error) {
    throw UsageError(error.what());
  }
}

void check_ranks(const WorldSettings& world, int replicas, DeviceKind device) {
  if (replicas > 1 && world.world_size > 1) {
    throw UsageError(
        fmt::format("--replicas {} together with WORLD_SIZE={} of {}: start one replica per process, or add "
                    "--launcher none",
                    replicas, world.world_size, world.launcher));
  }
  if (replicas > 1 && device == DeviceKind::cuda) {
    throw UsageError(
        "--replicas over 1 is for the CPU: for several GPUs start one process for each, as leat-run --gpus "
        "does");
  }
}

Device& device_of_rank(const WorldSettings& world, DeviceKind kind) {
  if (kind != DeviceKind::cuda) return host_device();
  const int visible = cuda_device_count();
  if (visible == 0) return cuda_device(0);  // which throws the reason
  try {
    return cuda_device(gpu_of_rank(world, visible));
  } catch (const ArgumentError& error) {
    throw UsageError(error.what());
  }
}

std::vector<JobSetting> run_settings(const TrainOptions& options, const ImageFeeds& feeds) {
  return {{"--seed", std::to_string(options.seed)},
          {"--epochs", std::to_string(options.epochs)},
          {"--batch-size", std::to_string(options.batch_size)},
          {"--image-size", std::to_string(options.image_size)},
          {"--hidden", fmt::format("{}", fmt::join(options.hidden, ","))},
          {"--lr", fmt::format("{}", options.learning_rate)},
          {"--momentum", fmt::format("{}", options.momentum)},
          {"--weight-decay", fmt::format("{}", options.weight_decay)},
          {"number of images to train on", std::to_string(feeds.train_samples())},
          {"number of images held back", std::to_string(feeds.test_samples())},
          {"number of classes", std::to_string(feeds.classes().size())},
          {"SHA-256 of the names of the classes",
           hex(sha256(fmt::format("{}", fmt::join(feeds.classes(), "\n"))))}};
}

std::vector<JobSetting> job_settings(const TrainOptions& options, const ImageFeeds& feeds,
                                     const std::string& checkpoint) {
  std::vector<JobSetting> settings = run_settings(options, feeds);
  settings.push_back({"--device", options.device == DeviceKind::cuda ? "cuda" : "cpu"});
  settings.push_back({"--checkpoint", options.checkpoint.empty() ? "not given" : "given"});
  settings.push_back({"--checkpoint-steps", std::to_string(options.checkpoint_steps)});
  settings.push_back({"checksum of the checkpoint", checkpoint.empty() ? "none" : checkpoint});
  return settings;
}

std::vector<std::unique_ptr<Communicator>> make_communicators(const WorldSettings& world, int replicas,
                                                              Device& device,
                                                              const std::vector<JobSetting>& settings,
                                                              const Say& say) {
  if (replicas > 1) return make_local_group(replicas, device);
  std::vector<std::unique_ptr<Communicator>> only(1);
  if (world.world_size == 1) return only;
  const World connected = meet(world, settings);
  say(describe(world, device.name()));
  only[0] = connected.make_communicator(device);
  return only;
}

}  // namespace leat::tools
