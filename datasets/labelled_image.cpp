#include "leat/datasets/labelled_image.h"

#include "leat/datasets/errors.h"

namespace leat {

namespace {

Size fixed_size(const TransformPipeline& transforms, std::optional<Size> stored) {
  if (const std::optional<Size> size = transforms.output_size(stored)) return *size;
  throw ArgumentError(
      "the transforms leave pictures different sizes, but the rows of a batch are equally large: put in "
      "a CenterCrop, a RandomCrop, a RandomResizedCrop, or a Resize to height and width");
}

}  // namespace

LabelledImage::LabelledImage(const TransformPipeline& transforms, std::optional<Size> stored)
    : size_(fixed_size(transforms, stored)) {
  if (const ChannelScale* scale = transforms.scale()) scale_ = *scale;
}

Schema LabelledImage::schema() const {
  const auto height = static_cast<std::size_t>(size_.height), width = static_cast<std::size_t>(size_.width);
  const Field image = scale_ ? Field{"image", DType::f32, {kChannels, height, width}}
                             : Field{"image", DType::u8, {height, width, kChannels}};
  return Schema({image, {"label", DType::i64, {}}});
}

PixelOutput LabelledImage::output(std::span<std::byte> row) const noexcept {
  if (scale_) return ScaledPlanes{reinterpret_cast<float*>(row.data()), size_, *scale_};
  return MutableImageView{reinterpret_cast<std::uint8_t*>(row.data()), size_,
                          std::ptrdiff_t{size_.width} * kChannels};
}

}  // namespace leat
