// What leat-train says.
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
  std::size_t replicas = 1;    // of each process
  std::string communicator;    // Communicator::engine(), or "none"
  std::size_t batch_size = 0;  // of one step, over all replicas of all processes
  int num_workers = 0;         // of this process, for the images to train on, when the run ended
  std::vector<EpochReport> epochs{};
  double seconds = 0;  // of the whole run
};

// One line: "epoch 3/8  loss 1.2345 ...".
std::string epoch_line(std::size_t epoch, std::size_t epochs, const EpochReport& report);

// A few lines.
std::string summary(const RunReport& report);

// {"device","math","processes","replicas","communicator","batch_size","num_workers","test_accuracy","total_seconds",
//  "epochs":[{"loss","accuracy","test_loss","test_accuracy","samples_per_second","data_wait_share"}]}
std::string to_json(const RunReport& report);

}  // namespace leat::tools
