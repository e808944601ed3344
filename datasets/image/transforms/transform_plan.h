// What a pipeline of transforms makes of one image.
#pragma once

#include <optional>

#include "leat/datasets/image/pixel_stage.h"
#include "leat/datasets/image/resample/resample_kernels.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Of an image of size `source`. Throws ArgumentError naming the sizes that do not suit.
ImagePlan plan(const TransformPipeline& transforms, Size source, Rng& rng);

// How pixels become f32; nullopt where they stay u8.
std::optional<ChannelScale> scale_of(const TransformPipeline& transforms);

}  // namespace leat::detail
