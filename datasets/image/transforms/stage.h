// The two stages of a pipeline: geometry transforms, then pixel transforms.
#pragma once

#include "leat/datasets/image/transforms/geometry_transforms.h"
#include "leat/datasets/image/transforms/pixel_transforms.h"

namespace leat::detail {

template <class T>
concept OfGeometry = requires(const T& transform, Canvas& canvas, Rng& rng) {
  apply(transform, canvas, rng);
};

template <class T>
concept OfPixels = requires(const T& transform, Rng& rng, PixelEdits& edits) {
  draw(transform, Size(), rng, edits);
};

}  // namespace leat::detail
