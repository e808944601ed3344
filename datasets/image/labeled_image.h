// The sample that the datasets of images deliver: an image that transforms made, and the number of its class.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/schema.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Fields: "image", u8, [height, width, 3], RGB, or f32, [3, height, width], where the transforms end with a Normalize;
// "label", i64, scalar. Immutable.
class LabeledImage {
 public:
  static constexpr std::size_t kImage = 0, kLabel = 1;  // the fields' positions

  // Throws ArgumentError where the transforms do not make all images equally large. `stored`: the size that all have.
  explicit LabeledImage(const TransformPipeline& transforms, std::optional<Size> stored = std::nullopt);
  explicit LabeledImage(Size size) : size_(size) {}  // u8, as they are

  Size size() const noexcept { return size_; }
  Schema schema() const;
  // Where the pixels go. `row` is the row of the field "image".
  PixelOutput output(std::span<std::byte> row) const noexcept;

 private:
  Size size_;
  std::optional<ChannelScale> scale_;
};

}  // namespace leat::detail
