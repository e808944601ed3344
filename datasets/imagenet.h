/// \file
/// The statistics of ImageNet's pixels.
#pragma once

#include <array>

namespace leat {

/// The mean of the pixels of ImageNet's training images, for red, green and blue in [0, 1]. The models of torchvision
/// and timm expect input that is normalized with it.
inline constexpr std::array<float, 3> kImageNetMean{0.485F, 0.456F, 0.406F};
/// The standard deviation that belongs to kImageNetMean.
inline constexpr std::array<float, 3> kImageNetStd{0.229F, 0.224F, 0.225F};

}  // namespace leat
