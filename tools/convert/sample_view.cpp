#include "tools/convert/sample_view.h"

#include <array>
#include <cstring>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/image_loader.h"
#include "tools/convert/recoder.h"

namespace leat::tools {

using namespace detail;

SampleView::SampleView(const RecordSchema& schema) {
  const auto label = schema.find("label");
  if (label && schema.fields().has_scalar(*label, DType::i64)) label_ = label;
  image_ = schema.find(Content::jpeg);
  if (image_) return;
  image_ = schema.find(Content::rgb);
  if (!image_) return;
  is_raw_ = true;
  const Field& field = schema.fields()[*image_];
  if (field.is_ragged()) {
    extents_ = schema.find(field.name + "_size");
    if (!extents_) image_.reset();
  } else {
    size_ = {static_cast<int>(field.shape[1]), static_cast<int>(field.shape[0])};
  }
}

std::optional<std::int64_t> SampleView::label(const Record& sample) const {
  if (!label_) return std::nullopt;
  std::int64_t label = 0;
  std::memcpy(&label, sample.fields[*label_].data(), sizeof label);
  return label;
}

ImageView SampleView::pixels_of(const Record& sample) const {
  const std::vector<std::byte>& pixels = sample.fields[*image_];
  Size size = size_;
  if (extents_) {
    std::array<std::uint32_t, 2> extents{};  // height, width
    std::memcpy(extents.data(), sample.fields[*extents_].data(), sizeof extents);
    size = {static_cast<int>(extents[1]), static_cast<int>(extents[0])};
  }
  const std::uint64_t count = std::uint64_t(size.width) * std::uint64_t(size.height);
  if (size.width <= 0 || size.height <= 0 || count * kChannels != pixels.size()) {
    throw DataError("image", to_string(size) + " pixels are not what is stored");
  }
  return {reinterpret_cast<const std::uint8_t*>(pixels.data()), size, std::ptrdiff_t{size.width} * kChannels};
}

Image SampleView::thumbnail(const Record& sample, int side) const {
  const ResizeRule rule{ResizeRule::Kind::longest_side, side};
  Rng unused(0, 0, 0);
  Image image;
  const auto resize_from = [&](Size size) {
    image.resize(resized(size, rule));
    return Resize(image.size().height, image.size().width);
  };
  ImageLoader& loader = ImageLoader::of_this_thread();
  if (is_raw_) {
    const ImageView pixels = pixels_of(sample);
    const Resize resize = resize_from(pixels.size);
    loader.load(pixels, resize, unused, image.view());
  } else {
    const std::vector<std::byte>& file = sample.fields[*image_];
    const Resize resize = resize_from(ImageDecoder().read_header(file));
    loader.load(file, resize, {}, unused, image.view());
  }
  return image;
}

}  // namespace leat::tools
