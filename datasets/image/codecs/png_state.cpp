#include "leat/datasets/image/codecs/png_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::uint32_t kMaxExtent = PNG_UINT_31_MAX;
// libpng keeps two rows with up to 8 bytes per pixel.
constexpr std::uint64_t kRowBytes = 16;
// Limit for chunks that are skipped, which therefore take no memory. For IDAT chunks libpng derives a limit from the
// image's size.
constexpr std::size_t kMaxChunk = std::size_t{64} << 20;
constexpr int kMaxChunks = 128;  // limit for chunks that are kept

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
  const std::size_t there = std::min(rest.size(), size);
  const auto& errors = *static_cast<const PngErrors*>(png_get_error_ptr(png));
  if (there < size && (there == 0 || !errors.allow_corrupt)) png_error(png, "it was cut off");
  std::memcpy(out, rest.data(), there);
  std::memset(out + there, 0,
              size - there);  // zeros: libpng reads large parts of a chunk, and the bytes that exist count
  rest = rest.subspan(there);
}

void PngState::begin() noexcept {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors_, on_png_error, on_png_warning);
  if (png_ == nullptr) return;
  info_ = png_create_info_struct(png_);
  png_set_read_fn(png_, &rest_, read);
  png_set_check_for_invalid_index(png_, -1);          // look_up() checks indices
  png_set_user_limits(png_, kMaxExtent, kMaxExtent);  // check_header() applies the limits
  png_set_chunk_malloc_max(png_, kMaxChunk);
  png_set_chunk_cache_max(png_, kMaxChunks);
  // Chunks such as texts and profiles are not even inflated.
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  if (errors_.allow_corrupt) {
    png_set_crc_action(png_, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
  } else {
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  }
}

void PngState::read_header(std::span<const std::byte> png, const JpegLimits& limits) {
  abandon();
  rest_ = png;
  errors_.warnings = {};
  errors_.allow_corrupt = limits.allow_corrupt;
  guard([&] { begin(); });
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

void PngState::take_palette() noexcept {
  palette_ = {};
  colors_ = 0;
  png_colorp colors = nullptr;
  if (png_get_color_type(png_, info_) != PNG_COLOR_TYPE_PALETTE) return;
  if (png_get_PLTE(png_, info_, &colors, &colors_) == 0 || colors_ < 1) png_error(png_, "it has no palette");
  std::copy_n(colors, colors_, palette_.begin());
}

void PngState::start() noexcept {
  take_palette();
  const png_byte kind = png_get_color_type(png_, info_);
  if (kind == PNG_COLOR_TYPE_PALETTE) png_set_packing(png_);  // one byte per index
  if (kind == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
  if (kind != PNG_COLOR_TYPE_PALETTE && (kind & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png_);
  png_set_strip_16(png_);
  png_set_strip_alpha(png_);
  if (is_interlaced()) png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  const std::size_t bytes = static_cast<std::size_t>(size().width) * (colors_ != 0 ? 1 : kChannels);
  if (png_get_rowbytes(png_, info_) != bytes) png_error(png_, "libpng makes no RGB of it");
}

void PngState::read_row(std::uint8_t* row) noexcept {
  png_read_row(png_, row, nullptr);
  if (row != nullptr) look_up(row);
}

// In place, starting at the row's end, since a color takes three bytes and an index one.
void PngState::look_up(std::uint8_t* row) noexcept {
  if (colors_ == 0) return;
  int greatest = 0;
  for (std::ptrdiff_t x = size().width - 1; x >= 0; --x) {
    const std::uint8_t index = row[x];
    greatest = std::max<int>(greatest, index);
    const png_color color = palette_[index];
    row[3 * x] = color.red;
    row[3 * x + 1] = color.green;
    row[3 * x + 2] = color.blue;
  }
  if (greatest >= colors_) errors_.warnings.add(DecodeWarning::palette_index);
}

void PngState::read_all(MutableImageView pixels) noexcept {
  constexpr int kPasses = 7;  // of Adam7 interlacing
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int y = 0; y < pixels.size.height; ++y) png_read_row(png_, pixels.row(y), nullptr);
  }
}

void PngState::look_up(MutableImageView pixels) noexcept {
  for (int y = 0; y < pixels.size.height; ++y) look_up(pixels.row(y));
}

}  // namespace leat::detail
