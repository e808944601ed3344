#include "leat/datasets/image/resample/resample.h"

#include <fmt/format.h>

#include <cstring>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

std::size_t bytes_of(PixelRange columns) {
  return checked_multiply(static_cast<std::size_t>(columns.size()), kChannels);
}

bool is_one_row(const Coefficients::Taps& taps) noexcept {
  return taps.weights.size() == 1 && taps.weights[0] == 1 << kWeightBits;
}

}  // namespace

void Resampler::prepare(const Geometry& geometry) {
  copies_columns_ = geometry.x().is_copy() && !geometry.flipped();
  upside_down_ = geometry.flipped_vertically();
  // For an axis that is not scaled, the box filter gives one tap per pixel, with weight 1.
  x_.compute(geometry.x(), geometry.x().is_copy() ? Filter::box : geometry.filter(), geometry.flipped());
  y_.compute(geometry.y(), geometry.y().is_copy() ? Filter::box : geometry.filter(), false);
  if (!copies_columns_) packed_x_.pack(x_);
}

void Resampler::begin(const PixelOutput& out) {
  const Size made{x_.size(), y_.size()};
  if (size_of(out) != made) {
    throw ArgumentError(
        fmt::format("the output is {}, but the geometry makes {}", to_string(size_of(out)), to_string(made)));
  }
  const std::size_t copied = checked_add(bytes_of({0, made.width}), kKernelPadding);
  ring_.resize(y_.max_taps(), copies_columns_ ? copied : packed_x_.output_bytes());
  row_.resize(copied);
  out_ = out;
  next_source_ = source_rows().first;
  next_output_ = 0;
}

void Resampler::push(const std::uint8_t* row) {
  if (next_source_ >= source_rows().last) throw ArgumentError("all source rows have been pushed");
  take(row, ring_.row(next_source_++));
  while (next_output_ < y_.size() && y_[next_output_].last() <= next_source_) write_row(next_output_++);
}

void Resampler::take(const std::uint8_t* row, std::uint8_t* to) const {
  if (copies_columns_) {
    std::memcpy(to, row, bytes_of(source_columns()));
  } else {
    weigh_row(row, packed_x_.view(), to);
  }
}

void Resampler::collect(const Coefficients::Taps& taps) {
  rows_.clear();
  for (int row = taps.first; row < taps.last(); ++row) rows_.push_back(ring_.row(row));
}

void Resampler::write_row(int y) {
  const Coefficients::Taps taps = y_[y];
  collect(taps);
  if (upside_down_) y = y_.size() - 1 - y;
  if (const auto* view = std::get_if<MutableImageView>(&out_)) {
    if (is_one_row(taps)) {
      std::memcpy(view->row(y), rows_[0], view->row_bytes());
    } else {
      blend_rows(rows_.data(), taps.weights.data(), rows_.size(), view->row(y), view->row_bytes());
    }
    return;
  }
  const auto& planes = std::get<ScaledPlanes>(out_);
  if (!is_one_row(taps)) {
    blend_rows(rows_.data(), taps.weights.data(), rows_.size(), row_.data(), bytes_of({0, x_.size()}));
    rows_[0] = row_.data();
  }
  scale_row(rows_[0], static_cast<std::size_t>(x_.size()), planes.scale, planes.row(y));
}

void Resampler::run(const ImageTile& source, const PixelOutput& out) {
  check(source);
  begin(out);
  const PixelRange rows = source_rows(), columns = source_columns();
  const std::size_t bytes = bytes_of(columns);
  padded_.resize(checked_add(bytes, kKernelPadding));
  for (int row = rows.first; row < rows.last; ++row) {
    std::memcpy(padded_.data(), source.pixels.pixel(columns.first - source.left, row - source.top), bytes);
    push(padded_.data());
  }
}

void Resampler::check(const ImageTile& source) const {
  const PixelRange rows = source_rows(), columns = source_columns();
  if (source.left > columns.first || source.top > rows.first ||
      source.left + source.pixels.size.width < columns.last ||
      source.top + source.pixels.size.height < rows.last) {
    throw ArgumentError(fmt::format(
        "rows [{}, {}) and columns [{}, {}) of the source are needed, but there is a part of {} at ({}, {})",
        rows.first, rows.last, columns.first, columns.last, to_string(source.pixels.size), source.left,
        source.top));
  }
}

}  // namespace leat::detail
