#include "leat/datasets/image/pixel_stage.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"

namespace leat::detail {

PixelOutput PixelStage::begin(const ImagePlan& plan, const PixelOutput& out) {
  const Size made = plan.canvas.size();
  if (size_of(out) != made) {
    throw ArgumentError(fmt::format("the output is {}, but the transforms make {}", to_string(size_of(out)),
                                    to_string(made)));
  }
  if (plan.canvas.is_bordered()) {
    image_.resize(plan.canvas.geometry().output());
    return image_.view();
  }
  if (plan.edits.empty()) return out;
  return canvas_in(out);
}

MutableImageView PixelStage::canvas_in(const PixelOutput& out) {
  if (const auto* pixels = std::get_if<MutableImageView>(&out)) return *pixels;
  canvas_.resize(size_of(out));
  return canvas_.view();
}

void PixelStage::finish(const ImagePlan& plan, const PixelOutput& out) {
  const bool bordered = plan.canvas.is_bordered();
  if (!bordered && plan.edits.empty()) return;
  const MutableImageView pixels = canvas_in(out);
  if (bordered) plan.canvas.paint(image_.view(), pixels);
  for (const PixelEdit& what : plan.edits) apply(what, pixels, scratch_);
  if (std::holds_alternative<MutableImageView>(out)) return;
  form_.prepare(Geometry(pixels.size));
  form_.run({pixels}, out);
}

}  // namespace leat::detail
