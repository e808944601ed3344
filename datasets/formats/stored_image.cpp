#include "leat/datasets/formats/stored_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_value.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/image_loader.h"

namespace leat::detail {

namespace {

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

// Copies gray to three equal channels.
void spread(const StoredPixels& gray, std::uint8_t* rgb) noexcept {
  const std::size_t pixels =
      static_cast<std::size_t>(gray.size.width) * static_cast<std::size_t>(gray.size.height);
  for (std::size_t i = 0; i < pixels; ++i, rgb += kChannels) rgb[0] = rgb[1] = rgb[2] = gray.data[i];
}

ImageView as_rgb(const StoredPixels& pixels, Image& colors) {
  if (pixels.channels == kChannels)
    return {pixels.data, pixels.size, std::ptrdiff_t{pixels.size.width} * kChannels};
  colors.resize(pixels.size);
  spread(pixels, colors.view().data);
  return colors.view();
}

void load_pixels(const StoredPixels& pixels, const TransformPipeline& transforms, Rng& rng,
                 const PixelOutput& out) {
  thread_local Image colors;
  ImageLoader::of_this_thread().load(as_rgb(pixels, colors), transforms, rng, out);
}

}  // namespace

std::string_view image_kind(std::span<const std::byte> file) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.start)) return signature.kind;
  }
  return {};
}

bool is_decoded_file(std::span<const std::byte> file) noexcept {
  const std::string_view kind = image_kind(file);
  return kind == "JPEG" || kind == "PNG";
}

DecodeWarnings load_image(const StoredField& field, const TransformPipeline& transforms,
                          const DecodeOptions& decode, Rng& rng, const PixelOutput& out) {
  if (field.encoding.kind == Encoding::pixels) {
    load_pixels(stored_pixels(field), transforms, rng, out);
    return {};
  }
  const std::string_view kind = image_kind(field.bytes());
  if (!kind.empty() && !is_decoded_file(field.bytes())) {
    throw DataError(fmt::format("field '{}'", field.name),
                    fmt::format("it is a {} file; of files, JPEG and PNG are decoded", kind));
  }
  return ImageLoader::of_this_thread().load(field.bytes(), transforms, decode, rng, out);
}

void copy_pixels(const StoredField& field, Size size, std::span<std::byte> row) {
  if (field.encoding.kind != Encoding::pixels) {
    throw DataError(fmt::format("field '{}' ({})", field.name, to_string(field.encoding)),
                    "it holds no pixels: give transforms");
  }
  const StoredPixels pixels = stored_pixels(field);
  if (pixels.size != size) {
    throw DataError(fmt::format("field '{}'", field.name),
                    fmt::format("the image is {}, and the first one is {}: give transforms",
                                to_string(pixels.size), to_string(size)));
  }
  if (pixels.channels == kChannels) {
    std::ranges::copy(field.bytes(), row.begin());
  } else {
    spread(pixels, reinterpret_cast<std::uint8_t*>(row.data()));
  }
}

}  // namespace leat::detail
