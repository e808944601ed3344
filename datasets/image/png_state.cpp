#include "datasets/image/png_state.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "loader/base/errors.h"

namespace leat::detail {

namespace {

constexpr std::uint32_t kMaxExtent = PNG_UINT_31_MAX;
// libpng keeps two rows of up to 8 bytes for a pixel.
constexpr std::uint64_t kRowBytes = 16;
// Of chunks that are passed over, so they take none; IDAT chunks have libpng's bound for the picture's size.
constexpr std::size_t kMaxChunk = std::size_t{64} << 20;
constexpr int kMaxChunks = 128;  // that are kept

[[noreturn]] void fail(std::string_view problem) {
  throw DataError("PNG data", problem);
}

}  // namespace

void PngState::fail_with_message() {
  fail(errors_.message);
}

void PngState::abandon() noexcept {
  png_destroy_read_struct(&png_, &info_, nullptr);
}

void PngState::read(png_structp png, png_bytep out, std::size_t size) {
  auto& rest = *static_cast<std::span<const std::byte>*>(png_get_io_ptr(png));
  if (rest.size() < size) png_error(png, "it was cut off");
  std::memcpy(out, rest.data(), size);
  rest = rest.subspan(size);
}

void PngState::begin(bool allow_corrupt) noexcept {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, on_png_error, on_png_warning);
  if (png_ == nullptr) return;
  info_ = png_create_info_struct(png_);
  png_set_read_fn(png_, &rest_, read);
  png_set_user_limits(png_, kMaxExtent, kMaxExtent);  // check_header() has the limits
  png_set_chunk_malloc_max(png_, kMaxChunk);
  png_set_chunk_cache_max(png_, kMaxChunks);
  // Texts, profiles and the like are not even inflated.
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  if (!allow_corrupt) png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
}

void PngState::read_header(std::span<const std::byte> png, const JpegLimits& limits) {
  abandon();
  rest_ = png;
  guard([&] { begin(limits.allow_corrupt); });
  if (png_ == nullptr || info_ == nullptr) throw Error("libpng found no memory to start with");
  guard([&] { png_read_info(png_, info_); });
  check_header(limits);
}

void PngState::check_header(const JpegLimits& limits) const {
  const std::uint64_t width = png_get_image_width(png_, info_), height = png_get_image_height(png_, info_);
  if (width * height > limits.max_pixels) {
    fail(fmt::format("it has {} x {} pixels, more than the limit of {}", width, height, limits.max_pixels));
  }
  const std::uint64_t bytes = kRowBytes * width + (is_interlaced() ? width * height * kChannels : 0);
  if (bytes > limits.max_decoder_bytes) {
    fail(fmt::format("decoding it takes {} bytes, more than the limit of {}", bytes,
                     limits.max_decoder_bytes));
  }
}

Size PngState::size() const noexcept {
  return {static_cast<int>(png_get_image_width(png_, info_)),
          static_cast<int>(png_get_image_height(png_, info_))};
}

bool PngState::is_interlaced() const noexcept {
  return png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
}

void PngState::start() noexcept {
  const png_byte kind = png_get_color_type(png_, info_);
  if (kind == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
  if (kind == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
  if ((kind & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png_);
  png_set_strip_16(png_);
  png_set_strip_alpha(png_);
  if (is_interlaced()) png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  if (png_get_rowbytes(png_, info_) != static_cast<std::size_t>(size().width) * kChannels) {
    png_error(png_, "libpng makes no RGB of it");
  }
}

void PngState::read_all(MutableImageView pixels) noexcept {
  constexpr int kPasses = 7;  // of Adam7
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int y = 0; y < pixels.size.height; ++y) read_row(pixels.row(y));
  }
}

}  // namespace leat::detail
