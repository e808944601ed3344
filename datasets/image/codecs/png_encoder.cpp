#include "leat/datasets/image/codecs/png_encoder.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/png_errors.h"

namespace leat::detail {

namespace {

struct Encoder {
  Encoder() = default;
  ~Encoder() { png_destroy_write_struct(&png, &info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void encode(ImageView image) noexcept;  // call in a guarded body
  static void write(png_structp png, png_bytep bytes, std::size_t size);

  png_structp png = nullptr;
  png_infop info = nullptr;
  PngErrors errors{};
  std::byte* bytes = nullptr;  // output buffer
  std::size_t capacity = 0;
  std::size_t size = 0;  // bytes written
};

void Encoder::write(png_structp png, png_bytep from, std::size_t count) {
  auto& encoder = *static_cast<Encoder*>(png_get_io_ptr(png));
  if (encoder.capacity - encoder.size < count) png_error(png, "it is longer than it can be");
  std::memcpy(encoder.bytes + encoder.size, from, count);
  encoder.size += count;
}

void Encoder::encode(ImageView image) noexcept {
  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors, on_png_error, on_png_warning);
  if (png == nullptr) return;
  info = png_create_info_struct(png);
  png_set_write_fn(png, this, write, [](png_structp) {});
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.size.width),
               static_cast<png_uint_32>(image.size.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < image.size.height; ++y) png_write_row(png, image.row(y));
  png_write_end(png, info);
}

}  // namespace

// Deflate adds far less than a sixteenth. Each chunk holds 8 KiB and has 12 bytes of its own.
std::size_t max_png_bytes(Size size) {
  const std::size_t row = checked_add(checked_multiply(static_cast<std::size_t>(size.width), kChannels), 1);
  const std::size_t rows = checked_multiply(row, static_cast<std::size_t>(size.height));
  return checked_add(rows, checked_add(rows / 8, 4096));
}

std::vector<std::byte> encode_png(ImageView image) {
  if (image.size.width < 1 || image.size.height < 1) {
    throw ArgumentError(fmt::format("a PNG cannot hold {} pixels", to_string(image.size)));
  }
  Encoder encoder;
  encoder.capacity = max_png_bytes(image.size);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(encoder.capacity);
  encoder.bytes = buffer.get();
  const bool done = run_guarded(encoder.errors, [&] { encoder.encode(image); });
  if (!done || encoder.size == 0) {
    throw Error(
        fmt::format("cannot encode {} pixels as PNG: {}", to_string(image.size), encoder.errors.message));
  }
  return {buffer.get(), buffer.get() + encoder.size};
}

}  // namespace leat::detail
