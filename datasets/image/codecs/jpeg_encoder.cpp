#include "leat/datasets/image/codecs/jpeg_encoder.h"

#include <fmt/format.h>

#include <memory>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_errors.h"

namespace leat::detail {

namespace {

struct Encoder {
  Encoder() { info.err = install(errors, true); }
  ~Encoder() { jpeg_destroy_compress(&info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void encode(ImageView image, const JpegOptions& options) noexcept;  // call in a guarded body

  jpeg_compress_struct info{};
  JpegErrors errors{};
  unsigned char* bytes = nullptr;  // output buffer
  unsigned long size = 0;          // before encode(): capacity of `bytes`; afterwards: bytes written
};

void Encoder::encode(ImageView image, const JpegOptions& options) noexcept {
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(image.size.width);
  info.image_height = static_cast<JDIMENSION>(image.size.height);
  info.input_components = kChannels;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, options.quality, TRUE);
  const int factor = options.chroma == ChromaSampling::half ? 2 : 1;
  info.comp_info[0].h_samp_factor = factor;
  info.comp_info[0].v_samp_factor = factor;
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < image.size.height; ++y) {
    JSAMPROW rows[] = {const_cast<JSAMPROW>(image.row(y))};  // libjpeg does not write to it
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
}

void check(ImageView image, const JpegOptions& options) {
  if (options.quality < 1 || options.quality > 100) {
    throw ArgumentError(fmt::format("JPEG quality {} is not in 1 to 100", options.quality));
  }
  const Size size = image.size;
  if (size.width < 1 || size.height < 1 || size.width > JPEG_MAX_DIMENSION ||
      size.height > JPEG_MAX_DIMENSION) {
    throw ArgumentError(fmt::format("a JPEG cannot hold {} pixels: extents are 1 to {}", to_string(size),
                                    JPEG_MAX_DIMENSION));
  }
}

// Upper bound for a JPEG of this size: TurboJPEG's tjBufSize(), valid for both chroma samplings.
std::size_t longest(Size size) {
  const auto padded = [](int extent) { return align_up(static_cast<std::size_t>(extent), 16); };
  return checked_add(checked_multiply(checked_multiply(padded(size.width), padded(size.height)), 6), 2048);
}

}  // namespace

std::vector<std::byte> encode_jpeg(ImageView image, const JpegOptions& options) {
  check(image, options);
  // The buffer has its maximum size from the start, so libjpeg never replaces it. This function owns it.
  const std::size_t capacity = longest(image.size);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(capacity);
  Encoder encoder;
  encoder.bytes = reinterpret_cast<unsigned char*>(buffer.get());
  encoder.size = capacity;
  const bool done = run_guarded(encoder.errors, [&] { encoder.encode(image, options); });
  if (!done) {
    throw Error(
        fmt::format("cannot encode {} pixels as JPEG: {}", to_string(image.size), encoder.errors.message));
  }
  return {buffer.get(), buffer.get() + encoder.size};
}

}  // namespace leat::detail
