// Sample of the image datasets: a transformed image and its class index.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/schema.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// The sample's two fields. "image" is u8 [height, width, 3], RGB; or f32 [3, height, width] if the transforms end
// with Normalize. "label" is an i64 scalar. Immutable.
class LabeledImage {
 public:
  static constexpr std::size_t kImage = 0, kLabel = 1;  // field indices

  // `stored` is the size of all stored images, if they share one. Throws ArgumentError if the transforms do not give
  // all images the same size.
  explicit LabeledImage(const TransformPipeline& transforms, std::optional<Size> stored = std::nullopt);
  explicit LabeledImage(Size size) : size_(size) {}  // u8, without transforms

  Size size() const noexcept { return size_; }
  Schema schema() const;
  // The destination of the pixels. `row` is the batch row of the field "image".
  PixelOutput output(std::span<std::byte> row) const noexcept;

 private:
  Size size_;
  std::optional<ChannelScale> scale_;
};

}  // namespace leat::detail
