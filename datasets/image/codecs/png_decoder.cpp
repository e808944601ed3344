#include "leat/datasets/image/codecs/png_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/png_chunks.h"
#include "leat/datasets/image/codecs/png_exif.h"
#include "leat/datasets/image/codecs/png_state.h"

namespace leat::detail {

PngDecoder::PngDecoder() : state_(std::make_unique<PngState>()) {}
PngDecoder::~PngDecoder() = default;
PngDecoder::PngDecoder(PngDecoder&&) noexcept = default;
PngDecoder& PngDecoder::operator=(PngDecoder&&) noexcept = default;

Size PngDecoder::read_header(std::span<const std::byte> png, const JpegLimits& limits,
                             bool read_orientation) {
  ready_ = false;
  rows_ = {};
  next_row_ = 0;
  const PngChunks chunks = scan_png(png, limits.allow_corrupt);
  const auto orientation = read_orientation ? png_orientation(chunks) : Orientation{};
  orientation_ = orientation.value_or(Orientation{});
  warnings_ = {};
  if (!orientation) warnings_.add(DecodeWarning::exif);
  if (chunks.cut_off) warnings_.add(DecodeWarning::missing_data);
  broken_ = false;
  state_->read_header(png, limits);
  size_ = state_->size();
  interlaced_ = state_->is_interlaced();
  ready_ = true;
  return size_;
}

void PngDecoder::start(PixelRange rows, PixelRange columns) {
  if (!ready_) throw ArgumentError("rows are started once after each read_header()");
  if (!lies_within(rows, size_.height) || !lies_within(columns, size_.width)) {
    throw ArgumentError(fmt::format("rows [{}, {}) and columns [{}, {}) of an image of {}", rows.first,
                                    rows.last, columns.first, columns.last, to_string(size_)));
  }
  ready_ = false;
  PngState& state = *state_;
  state.guard([&] { state.start(); });
  const std::size_t row = checked_multiply(static_cast<std::size_t>(size_.width), kChannels);
  const std::size_t kept = interlaced_ ? static_cast<std::size_t>(size_.height) : 1;
  pixels_.resize(checked_add(checked_multiply(row, kept), kRowPadding));
  if (interlaced_) {
    start_interlaced();
  } else {
    broken_ = !state.attempt([&] {
      for (int y = 0; y < rows.first; ++y) state.read_row(nullptr);
    });
  }
  rows_ = rows;
  first_column_ = columns.first;
  next_row_ = rows.first;
}

void PngDecoder::start_interlaced() {
  PngState& state = *state_;
  std::ranges::fill(pixels_, std::uint8_t{0});  // value of missing data
  const bool whole = state.attempt([&] {
    state.read_all({pixels_.data(), size_, std::ptrdiff_t{size_.width} * kChannels});
  });
  state.look_up({pixels_.data(), size_, std::ptrdiff_t{size_.width} * kChannels});
  if (whole) state.attempt([&] { state.finish(); });
}

const std::uint8_t* PngDecoder::next_row() {
  if (next_row_ >= rows_.last) throw ArgumentError("there is no next row");
  const int row = std::exchange(next_row_, rows_.last);  // after an error no row follows
  std::uint8_t* pixels = pixels_.data();
  if (interlaced_) {
    pixels += std::ptrdiff_t{row} * size_.width * kChannels;
  } else {
    PngState& state = *state_;
    if (!broken_) broken_ = !state.attempt([&] { state.read_row(pixels); });
    if (broken_) std::fill_n(pixels, std::ptrdiff_t{size_.width} * kChannels, std::uint8_t{0});
    if (!broken_ && row + 1 == size_.height) state.attempt([&] { state.finish(); });
  }
  next_row_ = row + 1;
  return pixels + std::ptrdiff_t{first_column_} * kChannels;
}

DecodeWarnings PngDecoder::warnings() const noexcept {
  return warnings_ | state_->warnings();
}

}  // namespace leat::detail
