#include "leat/datasets/image/transforms/transform_plan.h"

#include <variant>

#include "leat/datasets/image/transforms/stage.h"

namespace leat::detail {

ImagePlan plan(const TransformPipeline& transforms, Size source, Rng& rng) {
  ImagePlan plan{Canvas(source), {}};
  const auto take = [&]<class T>(const T& transform) {
    if constexpr (OfGeometry<T>) apply(transform, plan.canvas, rng);
    if constexpr (OfPixels<T>) draw(transform, plan.canvas.size(), rng, plan.edits);
  };
  for (const Transform& transform : transforms.transforms()) std::visit(take, transform);
  plan.canvas.trim();
  return plan;
}

std::optional<ChannelScale> scale_of(const TransformPipeline& transforms) {
  if (!transforms.normalizes()) return std::nullopt;
  const auto& normalize = std::get<Normalize>(transforms.transforms().back());
  ChannelScale scale{};
  for (std::size_t c = 0; c < normalize.mean.size(); ++c) {
    scale.scale[c] = static_cast<float>(1.0 / (255.0 * normalize.std[c]));
    scale.bias[c] = -normalize.mean[c] / normalize.std[c];
  }
  return scale;
}

}  // namespace leat::detail
