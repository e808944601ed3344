#include "datasets/image/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "loader/base/errors.h"

namespace leat {

namespace {

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t to_pixel(std::int32_t sum) noexcept {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

void weigh_pixels(const std::uint8_t* first, std::span<const std::int32_t> weights,
                  std::uint8_t* out) noexcept {
  std::int32_t red = kHalf, green = kHalf, blue = kHalf;
  for (const std::int32_t weight : weights) {
    red += weight * first[0];
    green += weight * first[1];
    blue += weight * first[2];
    first += kChannels;
  }
  out[0] = to_pixel(red);
  out[1] = to_pixel(green);
  out[2] = to_pixel(blue);
}

void add_weighted(std::span<std::int32_t> sums, std::int32_t weight, const std::uint8_t* row) noexcept {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * row[i];
}

}  // namespace

void Resampler::prepare(const Geometry& geometry) {
  x_needed_ = geometry.flipped() || !geometry.x().is_copy();
  y_needed_ = !geometry.y().is_copy();
  // The box filter gives an axis that is not scaled one tap per pixel, of weight 1.
  x_.compute(geometry.x(), geometry.x().is_copy() ? Filter::box : geometry.filter(), geometry.flipped());
  y_.compute(geometry.y(), geometry.y().is_copy() ? Filter::box : geometry.filter(), false);
}

void Resampler::run(const ImageTile& source, MutableImageView out) {
  check(source, out);
  if (!y_needed_) {
    if (x_needed_) {
      resample_rows(source, source_rows(), out);
    } else {
      copy(source, out);
    }
  } else if (!x_needed_) {
    resample_columns(source, out);
  } else {
    between_.resize({out.size.width, source_rows().size()});
    resample_rows(source, source_rows(), between_.view());
    resample_columns({between_.view(), source_columns().first, source_rows().first}, out);
  }
}

void Resampler::check(const ImageTile& source, MutableImageView out) const {
  const PixelRange rows = source_rows(), columns = source_columns();
  if (out.size != Size{x_.size(), y_.size()}) {
    throw ArgumentError(fmt::format("the output is {}, but the geometry makes {}", to_string(out.size),
                                    to_string(Size{x_.size(), y_.size()})));
  }
  if (source.left > columns.first || source.top > rows.first ||
      source.left + source.pixels.size.width < columns.last ||
      source.top + source.pixels.size.height < rows.last) {
    throw ArgumentError(fmt::format(
        "rows [{}, {}) and columns [{}, {}) of the source are needed, but there is a part of {} at ({}, {})",
        rows.first, rows.last, columns.first, columns.last, to_string(source.pixels.size), source.left,
        source.top));
  }
}

void Resampler::resample_rows(const ImageTile& source, PixelRange rows, MutableImageView out) const {
  for (int y = 0; y < rows.size(); ++y) {
    const int row = rows.first + y - source.top;
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < out.size.width; ++x, to += kChannels) {
      const Coefficients::Taps taps = x_[x];
      weigh_pixels(source.pixels.pixel(taps.first - source.left, row), taps.weights, to);
    }
  }
}

// The tile's columns are the output's: from source_columns().first on.
void Resampler::resample_columns(const ImageTile& source, MutableImageView out) {
  sums_.resize(out.row_bytes());
  const int left = source_columns().first - source.left;
  for (int y = 0; y < out.size.height; ++y) {
    std::ranges::fill(sums_, kHalf);
    const Coefficients::Taps taps = y_[y];
    int row = taps.first - source.top;
    for (const std::int32_t weight : taps.weights)
      add_weighted(sums_, weight, source.pixels.pixel(left, row++));
    std::ranges::transform(sums_, out.row(y), to_pixel);
  }
}

void Resampler::copy(const ImageTile& source, MutableImageView out) const {
  const int left = source_columns().first - source.left, top = source_rows().first - source.top;
  for (int y = 0; y < out.size.height; ++y) {
    std::memcpy(out.row(y), source.pixels.pixel(left, top + y), out.row_bytes());
  }
}

}  // namespace leat
