// The operations that a pipeline of transforms plans for one image.
#pragma once

#include <optional>

#include "leat/datasets/image/pixel_stage.h"
#include "leat/datasets/image/resample/resample_kernels.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Plans the operations for an image of size `source`. Throws ArgumentError that names the sizes if a transform does
// not fit.
ImagePlan plan(const TransformPipeline& transforms, Size source, Rng& rng);

// The conversion of pixels to f32. Nullopt if they stay u8.
std::optional<ChannelScale> scale_of(const TransformPipeline& transforms);

}  // namespace leat::detail
