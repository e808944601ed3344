#include "leat/datasets/image/labeled_image.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/transform_plan.h"

namespace leat::detail {

namespace {

Size fixed_size(const TransformPipeline& transforms, std::optional<Size> stored) {
  if (const std::optional<Size> size = transforms.output_size(stored)) return *size;
  throw ArgumentError(
      "the transforms leave images different sizes, but the rows of a batch are equally large: put in "
      "a CenterCrop, a RandomCrop, a RandomResizedCrop, or a Resize to height and width");
}

}  // namespace

LabeledImage::LabeledImage(const TransformPipeline& transforms, std::optional<Size> stored)
    : size_(fixed_size(transforms, stored)), scale_(scale_of(transforms)) {}

Schema LabeledImage::schema() const {
  const auto height = static_cast<std::size_t>(size_.height), width = static_cast<std::size_t>(size_.width);
  const Field image = scale_ ? Field{"image", DType::f32, {kChannels, height, width}}
                             : Field{"image", DType::u8, {height, width, kChannels}};
  return Schema({image, {"label", DType::i64, {}}});
}

PixelOutput LabeledImage::output(std::span<std::byte> row) const noexcept {
  if (scale_) return ScaledPlanes{reinterpret_cast<float*>(row.data()), size_, *scale_};
  return MutableImageView{reinterpret_cast<std::uint8_t*>(row.data()), size_,
                          std::ptrdiff_t{size_.width} * kChannels};
}

}  // namespace leat::detail
