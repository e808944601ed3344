// The text that leat-train prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/train/trainer.h"

namespace leat::tools {

struct EpochReport {
  EpochFigures train;
  EpochFigures test;
};

struct RunReport {
  std::string device;  // Device::name()
  std::string math;    // Math::name()
  int processes = 1;
  std::size_t replicas = 1;    // per process
  std::string communicator;    // Communicator::engine(), or "none"
  std::size_t batch_size = 0;  // per step, over all replicas of all processes
  int num_workers = 0;         // of this process, for the training images, at the end of the run
  std::vector<EpochReport> epochs{};
  double seconds = 0;  // of the whole run
};

// Returns one line: "epoch 3/8  loss 1.2345 ...".
std::string epoch_line(std::size_t epoch, std::size_t epochs, const EpochReport& report);

// Returns a few lines.
std::string summary(const RunReport& report);

// {"device","math","processes","replicas","communicator","batch_size","num_workers","test_accuracy","total_seconds",
//  "epochs":[{"loss","accuracy","test_loss","test_accuracy","samples_per_second","data_wait_share"}]}
std::string to_json(const RunReport& report);

}  // namespace leat::tools
