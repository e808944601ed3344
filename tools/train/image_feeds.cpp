#include "tools/train/image_feeds.h"

#include <fmt/format.h>

#include "tools/common/command_line.h"
#include "tools/common/transforms.h"

namespace leat::tools {
namespace {

// The smallest share of the image that a training crop shows. Small images can be recognized only if most of the
// image is visible.
constexpr double kMinCropArea = 0.6;

DataLoaderOptions loader_options(const Dataset& dataset, const TrainOptions& options,
                                 const WorldSettings& world, bool shuffle) {
  const auto ranks = static_cast<std::size_t>(world.world_size);
  if (dataset.size() < ranks) {
    throw UsageError(fmt::format("{} images cannot be shared by {} ranks", dataset.size(), ranks));
  }
  DataLoaderOptions loader;
  loader.batch_size = options.batch_size / ranks;
  loader.sampler = std::make_shared<DistributedSampler>(
      dataset.size(), DistributedSamplerOptions{.rank = world.rank,
                                                .world_size = world.world_size,
                                                .shuffle = shuffle,
                                                .seed = options.seed,
                                                .remainder = RemainderPolicy::keep});
  loader.num_workers = options.num_workers;
  loader.seed = options.seed;
  return loader;
}

}  // namespace

ImageFeeds::ImageFeeds(const ImageLocation& location, const TrainOptions& options, const WorldSettings& world)
    : train_images_(location, Part::train, training_transforms(options.image_size, kMinCropArea)),
      test_images_(location, Part::held_back, test_transforms(options.image_size, 1.0)),
      train_(train_images_.dataset(), loader_options(train_images_.dataset(), options, world, true)),
      test_(test_images_.dataset(), loader_options(test_images_.dataset(), options, world, false)) {
  if (train_images_.classes() != test_images_.classes()) {
    throw UsageError(
        fmt::format("'{}' holds other classes than '{}'", location.held_back->where, location.train.where));
  }
  if (classes().size() < 2) {
    throw UsageError(fmt::format("'{}' holds one class only: nothing can be learned", location.train.where));
  }
}

}  // namespace leat::tools
