// The measurements of leat-transfer: each figure is measured in turn with its limit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::bench {

struct TransferOptions {
  int workers = 8;
  std::size_t batch_size = 256;  // images of 224 x 224 x 3 bytes
  std::size_t batches = 100;     // batches of an epoch
  int rounds = 5;
};

// A limit and leat, measured in turn.
struct Pair {
  std::string name;
  std::string unit;             // unit of both; more is better
  std::vector<double> limit{};  // one value per round
  std::vector<double> ours{};
  double target = 0;  // ours / limit
};

/// Measures batches through a prefetcher, against a loop of asynchronous copies of the same number of bytes from
/// page-locked memory: once with samples that cost nothing, and once with samples that are written completely.
std::vector<Pair> compare_copies(Device& device, const TransferOptions& options);

/// Measures the steps per second of a loop whose device work takes as long as loading (and a tenth longer), against
/// the same work on one batch that stays on the device.
std::vector<Pair> compare_overlap(Device& device, const TransferOptions& options);

/// Measures the steps per second with four samples of 0.4 s among 6,400, against the same loop without them.
Pair compare_slow_samples(Device& device, const TransferOptions& options);

/// Measures the bytes read and written per second by normalization, against a copy within the device.
std::vector<Pair> compare_normalization(Device& device, const TransferOptions& options);

/// Measures the bytes read and written per second by the other operations on batches, against a copy within the device.
std::vector<Pair> compare_batch_operations(Device& device, const TransferOptions& options);

/// Returns the cost of page-locking, and the kernel's flags of page-locked memory. One line each.
std::vector<std::string> describe_registration(Device& device);

}  // namespace leat::bench
