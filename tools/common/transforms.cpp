#include "tools/common/transforms.h"

#include <cmath>

namespace leat::tools {

TransformPipeline training_transforms(int size, double min_area) {
  return RandomResizedCrop{size, {min_area, 1.0}} | RandomHorizontalFlip{};
}

TransformPipeline test_transforms(int size, double resize) {
  return Resize{static_cast<int>(std::lround(size * resize))} | CenterCrop{size};
}

Normalize normalize_images() {
  return {kImageNetMean, kImageNetStd};
}

PrefetcherOptions normalized_images() {
  PrefetcherOptions options;
  options.normalize.push_back({.field = "image", .output = {}, .how = kImageNetNormalization});
  return options;
}

}  // namespace leat::tools
