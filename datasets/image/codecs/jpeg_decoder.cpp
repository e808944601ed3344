#include "leat/datasets/image/codecs/jpeg_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/cmyk.h"
#include "leat/datasets/image/codecs/decode_tile.h"
#include "leat/datasets/image/codecs/jpeg_state.h"

namespace leat::detail {

void JpegDecoder::RowBuffer::resize(std::size_t size) {
  bytes_.resize(checked_add(size, 2 * kCacheLine + kRowPadding));
}

std::uint8_t* JpegDecoder::RowBuffer::pixels() noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  return bytes_.data() + (kCacheLine - address % kCacheLine) + kOffset;
}

JpegDecoder::JpegDecoder() : state_(std::make_unique<JpegState>()) {}
JpegDecoder::~JpegDecoder() = default;
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;

Size JpegDecoder::read_header(std::span<const std::byte> jpeg, const JpegLimits& limits,
                              bool read_orientation) {
  ready_ = false;
  region_ = {};
  next_row_ = 0;
  state_->read_header(jpeg, limits, read_orientation);
  orientation_ = state_->orientation();
  ready_ = true;
  return size(1);
}

Size JpegDecoder::size(int reduction) const {
  if (reduction != 1 && reduction != 2 && reduction != 4 && reduction != 8) {
    throw ArgumentError(fmt::format("an image cannot be reduced to 1/{}, but to 1/2, 1/4 or 1/8", reduction));
  }
  const auto reduced = [&](JDIMENSION extent) {
    return static_cast<int>(divide_up(extent, static_cast<std::size_t>(reduction)));
  };
  return {reduced(state_->info.image_width), reduced(state_->info.image_height)};
}

void JpegDecoder::require_region(const JpegRegion& region) const {
  if (!ready_) throw ArgumentError("a region is started once after each read_header()");
  const Size whole = size(region.reduction);
  if (lies_within(region.rows, whole.height) && lies_within(region.columns, whole.width)) return;
  throw ArgumentError(fmt::format("rows [{}, {}) and columns [{}, {}) of an image of {}", region.rows.first,
                                  region.rows.last, region.columns.first, region.columns.last,
                                  to_string(whole)));
}

void JpegDecoder::start(const JpegRegion& region) {
  require_region(region);
  ready_ = false;
  JpegState& state = *state_;
  left_ = 0;
  state.guard([&] {
    state.start(region.reduction);
    const bool whole_width = region.columns.size() == static_cast<int>(state.info.output_width);
    if (!whole_width && state.can_crop()) left_ = state.crop(region.columns);
  });
  row_.resize(checked_multiply(state.info.output_width, kChannels));
  is_cmyk_ = state.info.out_color_space == JCS_CMYK;
  if (is_cmyk_) cmyk_.resize(checked_multiply(state.info.output_width, 4));
  state.guard([&] { state.skip(region.rows.first); });
  region_ = region;
  next_row_ = 0;
}

const std::uint8_t* JpegDecoder::next_row() {
  if (next_row_ >= region_.rows.size()) throw ArgumentError("there is no next row");
  const bool is_last = next_row_ + 1 == region_.rows.size();
  const int row = std::exchange(next_row_, region_.rows.size());  // after an error no row follows
  JpegState& state = *state_;
  std::uint8_t* const out = is_cmyk_ ? cmyk_.data() : row_.pixels();
  state.guard([&] {
    state.read_row(out);
    if (is_last) state.finish();
  });
  if (is_cmyk_) inverted_cmyk_to_rgb(cmyk_.data(), row_.pixels(), cmyk_.size() / 4);
  next_row_ = row + 1;
  return row_.pixels() + static_cast<std::ptrdiff_t>(region_.columns.first - left_) * kChannels;
}

DecodeWarnings JpegDecoder::warnings() const noexcept {
  return state_->warnings();
}

ImageTile JpegDecoder::decode(const JpegRegion& region) {
  return decode_tile(*this, region, pixels_);
}

}  // namespace leat::detail
