// What leat-transfer measures: each figure beside the limit that it is held against, the two taking turns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::bench {

struct TransferOptions {
  int workers = 8;
  std::size_t batch_size = 256;  // images of 224 x 224 x 3 bytes
  std::size_t batches = 100;     // of an epoch
  int rounds = 5;
};

// A limit and leat, measured in turn.
struct Pair {
  std::string name;
  std::string unit;             // of both; more is better
  std::vector<double> limit{};  // one value a round
  std::vector<double> ours{};
  double target = 0;  // ours / limit
};

/// Batches through a prefetcher, against a loop of asynchronous copies of as many bytes from page-locked memory.
/// Samples that cost nothing, and samples that are written whole.
std::vector<Pair> compare_copies(Device& device, const TransferOptions& options);

/// Steps per second of a loop whose device work takes as long as loading (and a tenth longer), against the same work on
/// one batch that stays on the device.
std::vector<Pair> compare_overlap(Device& device, const TransferOptions& options);

/// Steps per second with four samples of 0.4 s among 6,400, against the same without them.
Pair compare_slow_samples(Device& device, const TransferOptions& options);

/// Bytes read and written per second by normalization, against a copy within the device.
std::vector<Pair> compare_normalization(Device& device, const TransferOptions& options);

/// What page-locking costs, and what the kernel says of page-locked memory. One line each.
std::vector<std::string> describe_registration(Device& device);

}  // namespace leat::bench
