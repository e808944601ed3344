// The images of a training run: datasets, and the loaders with their workers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/parallel/world_settings.h"
#include "tools/common/image_set.h"
#include "tools/train/options.h"

namespace leat::tools {

// Must be created before any thread or GPU is in use, because the loaders fork. Each loader delivers the share of
// this rank: the k-th batches of all ranks together are the k-th batch of a run with one rank. Not copyable or
// movable, because the loaders keep references to the sets.
class ImageFeeds {
 public:
  // Throws UsageError if training and held-back images do not have the same classes, or if there are fewer images
  // than ranks.
  ImageFeeds(const ImageLocation& location, const TrainOptions& options, const WorldSettings& world);
  ImageFeeds(const ImageFeeds&) = delete;
  ImageFeeds& operator=(const ImageFeeds&) = delete;

  DataLoader& train() noexcept { return train_; }
  DataLoader& test() noexcept { return test_; }
  std::size_t train_samples() const { return train_images_.dataset().size(); }  // of all ranks
  std::size_t test_samples() const { return test_images_.dataset().size(); }
  const std::vector<std::string>& classes() const noexcept { return train_images_.classes(); }
  std::size_t local_batch_size() const { return train_.options().batch_size.value(); }

 private:
  ImageSet train_images_;
  ImageSet test_images_;
  DataLoader train_;
  DataLoader test_;
};

}  // namespace leat::tools
