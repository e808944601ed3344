// The command line of leat-train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/parallel/world_settings.h"
#include "leat/transfer/device.h"

namespace leat::tools {

struct TrainOptions {
  std::string data;
  std::size_t epochs = 6;
  std::size_t batch_size = 64;  // per step, over all replicas of all processes
  int num_workers = 0;
  int replicas = 1;      // of this process
  WorldOverrides world;  // what is not read from the environment
  DeviceKind device = DeviceKind::host;
  std::uint64_t seed = 0;
  int image_size = 32;
  std::vector<std::size_t> hidden{512, 256};
  float learning_rate = 0.005F;  // the peak of the schedule
  float momentum = 0.9F;
  float weight_decay = 5e-4F;
  bool allow_corrupt = false;  // as in JpegLimits
  bool allow_empty = false;    // as in ImageFolderOptions
  std::string json;            // file to write; empty for none
  std::string checkpoint;      // file to write, and with `resume` to read; empty for none
  std::size_t checkpoint_steps =
      0;  // a checkpoint after each so many steps of an epoch; 0: after epochs only
  bool resume = false;
};

// Returns nullopt if --help or --version was given and its text has been printed. Throws UsageError.
std::optional<TrainOptions> read_train_options(int argc, const char* const* argv);

}  // namespace leat::tools
