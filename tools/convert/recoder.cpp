#include "tools/convert/recoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_chunks.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/transforms.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;
namespace {

constexpr int kUsualQuality = 90;

std::size_t pixels_in(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// Returns `shorter` scaled by `bound` / `longer`, at least 1.
int in_proportion(int shorter, int longer, int bound) {
  return static_cast<int>(std::max<std::int64_t>(1, std::int64_t{shorter} * bound / longer));
}

TransformPipeline transforms_to(Size size, const ResizeRule& rule) {
  if (rule.kind == ResizeRule::Kind::square) return Resize{rule.size} | CenterCrop{rule.size};
  return Resize{size.height, size.width};
}

std::vector<std::byte> as_bytes(const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(data);
  return {first, first + size};
}

RecordField pixels_field(const std::string& name, const ResizeRule& rule) {
  const auto side = static_cast<std::size_t>(rule.size);
  if (rule.kind == ResizeRule::Kind::square)
    return {{name, DType::u8, {side, side, kChannels}}, Content::rgb};
  const auto most = static_cast<std::size_t>(JpegLimits{}.max_pixels);
  return {Field::ragged(name, DType::u8, {.max_length = most, .element = {kChannels}}), Content::rgb};
}

ImageDecoder& decoder_of_this_thread() {
  thread_local ImageDecoder decoder;
  return decoder;
}

}  // namespace

Size resized(Size size, const ResizeRule& rule) {
  const auto [shorter, longer] = std::minmax(size.width, size.height);
  const bool wide = size.width >= size.height;
  switch (rule.kind) {
    case ResizeRule::Kind::keep:
      return size;
    case ResizeRule::Kind::short_side: {
      if (shorter <= rule.size) return size;
      const int other = in_proportion(longer, shorter, rule.size);
      return wide ? Size{other, rule.size} : Size{rule.size, other};
    }
    case ResizeRule::Kind::longest_side: {
      if (longer <= rule.size) return size;
      const int other = in_proportion(shorter, longer, rule.size);
      return wide ? Size{rule.size, other} : Size{other, rule.size};
    }
    case ResizeRule::Kind::square:
      return {rule.size, rule.size};
  }
  return size;
}

Recoder::Recoder(const RecordSchema& source, const ConvertOptions& options)
    : resize_(options.resize),
      quality_(options.quality),
      raw_(options.raw),
      limits_{.allow_corrupt = options.allow_corrupt} {
  const bool changes = resize_.kind != ResizeRule::Kind::keep || quality_ || raw_;
  image_ = find_image(source, options.image_field, changes);
  schema_ = raw_ ? make_schema(source) : source;
}

// The image field of a source without a schema has been renamed to "image" by now (see RecordConversion).
std::optional<std::size_t> Recoder::find_image(const RecordSchema& source, const std::string& wanted,
                                               bool changes) {
  std::vector<std::string> names;
  std::optional<std::size_t> found, usual;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string& name = source.fields()[i].name;
    if (source.content(i) != Content::jpeg) continue;
    if (name == wanted) return i;
    if (name == "image") usual = i;
    names.push_back(name);
    found = i;
  }
  if (usual) return usual;
  if (!wanted.empty() && !source.find(Content::rgb))
    throw UsageError(fmt::format("--image-field {}: SRC holds no such field of JPEG or PNG files{}{}", wanted,
                                 names.empty() ? "" : "; there are: ", fmt::join(names, ", ")));
  if (changes && names.empty())
    throw UsageError("--resize, --quality and --raw are for JPEG and PNG files, and SRC holds none");
  if (changes && names.size() > 1)
    throw UsageError(fmt::format("SRC holds several fields of images ({}): say which with --image-field",
                                 fmt::join(names, ", ")));
  return names.empty() ? std::nullopt : found;
}

RecordSchema Recoder::make_schema(const RecordSchema& source) const {
  std::vector<RecordField> fields;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string& name = source.fields()[i].name;
    if (i != image_) {
      fields.push_back({source.fields()[i], source.content(i)});
      continue;
    }
    if (resize_.kind != ResizeRule::Kind::square)
      fields.push_back({{name + "_size", DType::u32, {2}}, Content::values});
    fields.push_back(pixels_field(name, resize_));
  }
  return RecordSchema(std::move(fields), source.classes());
}

Image Recoder::decode(const std::vector<std::byte>& file, Size size, DecodeWarnings& warnings) const {
  Image image(size);
  Rng unused(0, 0, 0);
  warnings = ImageLoader::of_this_thread().load(file, transforms_to(size, resize_), {.limits = limits_},
                                                unused, image.view());
  return image;
}

Record Recoder::apply(Record sample, DecodeWarnings& warnings) const {
  if (!image_) return sample;
  std::vector<std::byte>& file = sample.fields[*image_];
  const Size size = decoder_of_this_thread().read_header(file, limits_);
  warnings = decoder_of_this_thread().warnings();
  const Size wanted = resized(size, resize_);
  if (!raw_ && !quality_ && wanted == size) return sample;
  const Image image = decode(file, wanted, warnings);
  if (!raw_) {
    const bool lossless = !quality_ && is_png(file);
    file = lossless ? encode_png(image.view())
                    : encode_jpeg(image.view(), {.quality = quality_.value_or(kUsualQuality)});
    return sample;
  }
  file = as_bytes(image.view().data, pixels_in(wanted) * kChannels);
  if (resize_.kind == ResizeRule::Kind::square) return sample;
  const std::array extents{static_cast<std::uint32_t>(wanted.height),
                           static_cast<std::uint32_t>(wanted.width)};
  sample.fields.insert(sample.fields.begin() + static_cast<std::ptrdiff_t>(*image_),
                       as_bytes(extents.data(), sizeof extents));
  return sample;
}

}  // namespace leat::tools
