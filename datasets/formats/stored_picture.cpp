#include "leat/datasets/formats/stored_picture.h"

#include <fmt/format.h>

#include <array>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/byte_reader.h"
#include "leat/datasets/formats/byte_writer.h"
#include "leat/datasets/image/image_loader.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::uint32_t kMaxExtent = 1U << 20;  // pixels along one edge
constexpr std::uint32_t kMaxMode = 16;          // characters; Pillow's longest mode has six

struct Signature {
  std::string_view kind;
  std::string_view start;
};

constexpr std::array<Signature, 7> kSignatures{{{"JPEG", "\xff\xd8\xff"},
                                                {"PNG", "\x89PNG\r\n\x1a\n"},
                                                {"GIF", "GIF8"},
                                                {"WebP", "RIFF"},
                                                {"BMP", "BM"},
                                                {"TIFF", std::string_view("II*\0", 4)},
                                                {"TIFF", std::string_view("MM\0*", 4)}}};

ImageView as_rgb(const StoredPixels& picture, Image& colours) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(picture.pixels.data());
  if (picture.channels == kChannels) {
    return {data, picture.size, std::ptrdiff_t{picture.size.width} * kChannels};
  }
  colours.resize(picture.size);
  std::uint8_t* out = colours.view().data;
  for (std::size_t i = 0; i < picture.pixels.size(); ++i, out += kChannels) {
    out[0] = out[1] = out[2] = data[i];
  }
  return colours.view();
}

void load_pixels(const StoredPixels& picture, const TransformPipeline& transforms, Rng& rng,
                 const PixelOutput& out) {
  thread_local Image colours;
  ImageLoader::of_this_thread().load(as_rgb(picture, colours), transforms, rng, out);
}

}  // namespace

std::string_view picture_kind(std::span<const std::byte> file) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.start)) return signature.kind;
  }
  return {};
}

StoredPixels parse_pil(const RawField& field) {
  ByteReader reader(field.bytes, field.name);
  const auto width = reader.little<std::uint32_t>(), height = reader.little<std::uint32_t>();
  if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
    reader.fail(
        fmt::format("a picture of {} x {} pixels; 1 to {} each way are read", width, height, kMaxExtent));
  }
  const auto mode_length = reader.little<std::uint32_t>();
  if (mode_length > kMaxMode) reader.fail(fmt::format("the mode's name has {} characters", mode_length));
  const std::string_view mode = reader.text(mode_length);
  if (mode != "L" && mode != "RGB") {
    reader.fail(fmt::format("pixels of the mode '{}'; L and RGB are read", mode));
  }
  const int channels = mode == "L" ? 1 : kChannels;
  const std::uint64_t bytes = std::uint64_t{width} * height * static_cast<unsigned>(channels);
  if (bytes != reader.remaining()) {
    reader.fail(fmt::format("{} x {} pixels of the mode {} are {} bytes, but there are {}", width, height,
                            mode, bytes, reader.remaining()));
  }
  return {{static_cast<int>(width), static_cast<int>(height)}, channels, reader.take(bytes)};
}

void write_pil(const StoredPixels& picture, std::vector<std::byte>& bytes) {
  const std::string_view mode = picture.channels == 1 ? "L" : "RGB";
  bytes.clear();
  append_little(bytes, static_cast<std::uint32_t>(picture.size.width));
  append_little(bytes, static_cast<std::uint32_t>(picture.size.height));
  append_little(bytes, static_cast<std::uint32_t>(mode.size()));
  append_text(bytes, mode);
  append_bytes(bytes, picture.pixels);
}

DecodeWarnings load_picture(const RawField& field, const TransformPipeline& transforms,
                            const DecodeOptions& decode, Rng& rng, const PixelOutput& out) {
  if (field.encoding == "pil") {
    load_pixels(parse_pil(field), transforms, rng, out);
    return {};
  }
  const std::string_view kind = picture_kind(field.bytes);
  if (!kind.empty() && kind != "JPEG" && kind != "PNG") {
    throw DataError(fmt::format("field '{}'", field.name),
                    fmt::format("it is a {} file; of files, JPEG and PNG are decoded", kind));
  }
  return ImageLoader::of_this_thread().load(field.bytes, transforms, decode, rng, out);
}

}  // namespace leat
