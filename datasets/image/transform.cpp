#include "leat/datasets/image/transform.h"

#include "leat/datasets/errors.h"

namespace leat {

namespace {

template <class T>
concept OfGeometry = requires(const T& transform, Canvas& canvas, Rng& rng) {
  transform.apply(canvas, rng);
};

template <class T>
concept OfPixels = requires(const T& transform, Rng& rng, PixelEdits& edits) {
  transform.draw({}, rng, edits);
};

enum class Stage { geometry, pixels, scale };

Stage stage_of(const Transform& transform) {
  return std::visit(
      []<class T>(const T&) {
        if (OfGeometry<T>) return Stage::geometry;
        return OfPixels<T> ? Stage::pixels : Stage::scale;
      },
      transform);
}

bool resizes(const Transform& transform) {
  return std::holds_alternative<Resize>(transform) || std::holds_alternative<RandomResizedCrop>(transform);
}

bool pads(const Transform& transform) {
  return std::visit(
      [](const auto& t) {
        if constexpr (requires { t.pads(); }) return t.pads();
        return false;
      },
      transform);
}

void require_order(const Transform& before, const Transform& after) {
  if (stage_of(before) == Stage::scale) {
    throw ArgumentError("Normalize is the last transform of a pipeline: put the others before it");
  }
  if (stage_of(before) > stage_of(after)) {
    throw ArgumentError(
        "transforms of geometry (resizes, crops, flips, Pad) come before those of pixels (ColorJitter, "
        "RandAugment, RandomErasing and the like), and Normalize is the last: change their order");
  }
  if (pads(before) && resizes(after)) {
    throw ArgumentError(
        "a picture with borders is not resized: put Resize and RandomResizedCrop before Pad and a RandomCrop "
        "that pads");
  }
}

}  // namespace

PicturePlan TransformPipeline::plan(Size source, Rng& rng) const {
  PicturePlan plan{Canvas(source), {}};
  const auto take = [&]<class T>(const T& transform) {
    if constexpr (OfGeometry<T>) transform.apply(plan.canvas, rng);
    if constexpr (OfPixels<T>) transform.draw(plan.canvas.size(), rng, plan.edits);
  };
  for (const Transform& transform : transforms_) std::visit(take, transform);
  plan.canvas.trim();
  return plan;
}

std::optional<Size> TransformPipeline::output_size(std::optional<Size> input) const {
  std::optional<Size> size = input;
  const auto change = [&]<class T>(const T& transform) {
    if constexpr (OfGeometry<T>) size = transform.output_size(size);
  };
  for (const Transform& transform : transforms_) std::visit(change, transform);
  return size;
}

const ChannelScale* TransformPipeline::scale() const noexcept {
  const auto* last = transforms_.empty() ? nullptr : std::get_if<Normalize>(&transforms_.back());
  return last != nullptr ? &last->scale() : nullptr;
}

TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then) {
  for (const Transform& before : first.transforms_) {
    for (const Transform& after : then.transforms_) require_order(before, after);
  }
  first.transforms_.insert(first.transforms_.end(), then.transforms_.begin(), then.transforms_.end());
  return first;
}

}  // namespace leat
