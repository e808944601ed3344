#pragma once

#include <array>

#include "leat/datasets/image/resample_kernels.h"
#include "leat/datasets/imagenet.h"

namespace leat {

// What torchvision's ToTensor and Normalize make together: (pixel / 255 - mean[c]) / std[c], as f32 [3, height,
// width]. Computed as fma(pixel, 1 / (255 std[c]), -mean[c] / std[c]), to the same bits as the Normalization of
// the transfer layer. The last transform of a pipeline; draws nothing. ImageNet's: kImageNetMean, kImageNetStd.
class Normalize {
 public:
  Normalize(const std::array<float, 3>& mean, const std::array<float, 3>& std);

  const ChannelScale& scale() const noexcept { return scale_; }

 private:
  ChannelScale scale_;
};

}  // namespace leat
