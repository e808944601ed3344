#include "tools/common/transforms.h"

#include <cmath>

namespace leat::tools {

TransformPipeline training_transforms(int size, double min_area) {
  return RandomResizedCrop{size, {min_area, 1.0}} | RandomHorizontalFlip{};
}

TransformPipeline test_transforms(int size, double resize) {
  return Resize{static_cast<int>(std::lround(size * resize))} | CenterCrop{size};
}

PrefetcherOptions normalized_images() {
  // The means and deviations that torchvision's models are used with, for channels in [0, 1].
  const Normalization how{.mean = {0.485F, 0.456F, 0.406F, 0}, .std = {0.229F, 0.224F, 0.225F, 1}};
  PrefetcherOptions options;
  options.normalize.push_back({.field = "image", .output = {}, .how = how});
  return options;
}

}  // namespace leat::tools
