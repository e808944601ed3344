// Small training runs.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "leat/datasets/in_memory.h"
#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"
#include "tools/common/transforms.h"
#include "tools/train/communicators.h"
#include "tools/train/trainer.h"

namespace leat::test {

using namespace leat::tools;

inline constexpr std::size_t kSide = 4, kValues = kSide * kSide * 3, kClasses = 3;
inline constexpr std::size_t kSamples =
    25;  // batches of 8, 8, 8 and 1: in the last one only one replica has a row
inline constexpr std::size_t kBatch = 8;

// Images whose brightness tells the class, with a pattern on top.
inline InMemoryDataset bright_images(std::size_t samples) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < samples; ++i) {
    labels.push_back(static_cast<std::int64_t>(i % kClasses));
    for (std::size_t p = 0; p < kValues; ++p) {
      pixels.push_back(static_cast<std::uint8_t>(i % kClasses * 100 + (i * 7 + p * 13) % 50));
    }
  }
  return InMemoryDataset({InMemoryDataset::column("image", {kSide, kSide, 3}, pixels),
                          InMemoryDataset::column("label", {}, labels)});
}

inline TrainerOptions options_for(float learning_rate, std::size_t epochs) {
  return {.model = {.inputs = kValues, .hidden = {16, 8}, .classes = kClasses},
          .batch_size = kBatch,
          .local_batch_size = kBatch,
          .sgd = {learning_rate, 0.9F, 1e-3F},
          .total_steps = epochs * 4,
          .seed = 5};
}

// A trainer with everything that it needs.
struct Run {
  Run(int replicas, float learning_rate, std::size_t epochs, Device& where = host_device())
      : data(bright_images(kSamples)),
        loader(data, {.batch_size = kBatch, .shuffle = true, .seed = 3}),
        device(where),
        trainer(device, make_communicators({}, replicas, device, {}, {}), options_for(learning_rate, epochs)),
        feed(loader, device, normalized_images()) {}

  std::vector<float> parameters(std::size_t replica) {
    const Stream stream = device.make_stream();
    return trainer.replica(replica).classifier().parameters().values_on_host(stream);
  }

  InMemoryDataset data;
  DataLoader loader;
  Device& device;
  Trainer trainer;
  Prefetcher feed;
};

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

}  // namespace leat::test
