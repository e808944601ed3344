#include "tools/common/transforms.h"

#include <array>
#include <cmath>

namespace leat::tools {

namespace {

// Those that torchvision's models are used with, for channels in [0, 1].
constexpr std::array kMean{0.485F, 0.456F, 0.406F}, kStd{0.229F, 0.224F, 0.225F};

}  // namespace

TransformPipeline training_transforms(int size, double min_area) {
  return RandomResizedCrop{size, {min_area, 1.0}} | RandomHorizontalFlip{};
}

TransformPipeline test_transforms(int size, double resize) {
  return Resize{static_cast<int>(std::lround(size * resize))} | CenterCrop{size};
}

Normalize normalize_images() {
  return {kMean, kStd};
}

PrefetcherOptions normalized_images() {
  const Normalization how{.mean = {kMean[0], kMean[1], kMean[2], 0}, .std = {kStd[0], kStd[1], kStd[2], 1}};
  PrefetcherOptions options;
  options.normalize.push_back({.field = "image", .output = {}, .how = how});
  return options;
}

}  // namespace leat::tools
