#include "leat/datasets/image/pixels/affine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr int kFractionBits = 16;
constexpr double kFixedLimit = 32768;  // bound of coordinates in fixed point

// The pixel that contains a coordinate. -1 if the coordinate is negative or too large for an int.
int pixel_of(double coordinate) noexcept {
  const double pixel = std::floor(coordinate);
  return pixel >= 0 && pixel <= std::numeric_limits<int>::max() ? static_cast<int>(pixel) : -1;
}

std::int64_t to_fixed(double value) noexcept {
  return static_cast<std::int64_t>(std::floor(value * (1 << kFractionBits) + 0.5));
}

bool inside(Size size, int x, int y) noexcept {
  return x >= 0 && x < size.width && y >= 0 && y < size.height;
}

void copy_pixel(ImageView from, int x, int y, std::uint8_t* to, Rgb fill) noexcept {
  if (inside(from.size, x, y)) {
    std::memcpy(to, from.pixel(x, y), kChannels);
  } else {
    fill_run(to, 1, fill);
  }
}

struct Run {
  int first, last;  // `last` is not included
};

// The steps, of `count` steps that begin at `from`, whose positions are in [0, limit). They are always one contiguous
// run.
Run steps_inside(std::int64_t from, std::int64_t step, std::int64_t limit, int count) noexcept {
  if (step == 0) return {0, from >= 0 && from < limit ? count : 0};
  if (step < 0) {
    from = limit - 1 - from;
    step = -step;
  }
  const auto first_behind = [&](std::int64_t bound) {
    return static_cast<int>(std::clamp<std::int64_t>((bound - from + step - 1) / step, 0, count));
  };
  return {from < 0 ? first_behind(0) : 0, from < limit ? first_behind(limit) : 0};
}

// A source coordinate: its value at the first pixel, and its change per column and per row.
template <class Number>
struct Coordinate {
  Number first, across, down;
};

void copy_fixed(ImageView from, MutableImageView to, Coordinate<std::int64_t> cx, Coordinate<std::int64_t> cy,
                Rgb fill) noexcept {
  const int width = to.size.width;
  for (int row = 0; row < to.size.height; ++row, cx.first += cx.down, cy.first += cy.down) {
    const Run in_x = steps_inside(cx.first, cx.across, std::int64_t{from.size.width} << kFractionBits, width);
    const Run in_y =
        steps_inside(cy.first, cy.across, std::int64_t{from.size.height} << kFractionBits, width);
    const int first = std::max(in_x.first, in_y.first),
              last = std::max(first, std::min(in_x.last, in_y.last));
    fill_run(to.row(row), first, fill);
    std::int64_t x = cx.first + first * cx.across, y = cy.first + first * cy.across;
    std::uint8_t* out = to.pixel(first, row);
    for (int i = first; i < last; ++i, x += cx.across, y += cy.across, out += kChannels)
      std::memcpy(out, from.data + (y >> kFractionBits) * from.stride + (x >> kFractionBits) * kChannels,
                  kChannels);
    fill_run(out, width - last, fill);
  }
}

void copy_double(ImageView from, MutableImageView to, Coordinate<double> cx, Coordinate<double> cy,
                 Rgb fill) noexcept {
  for (int row = 0; row < to.size.height; ++row, cx.first += cx.down, cy.first += cy.down) {
    std::uint8_t* out = to.row(row);
    double x = cx.first, y = cy.first;
    for (int i = 0; i < to.size.width; ++i, x += cx.across, y += cy.across, out += kChannels)
      copy_pixel(from, pixel_of(x), pixel_of(y), out, fill);
  }
}

// The source column for each output column. -1 if it is outside of the source.
std::vector<int> columns_of(double x, double step, int source, int width) {
  std::vector<int> columns(static_cast<std::size_t>(width));
  for (int& column : columns) {
    column = pixel_of(x) < source ? pixel_of(x) : -1;
    x += step;
  }
  return columns;
}

void scale(ImageView from, MutableImageView to, const AffineMatrix& m, Rgb fill) {
  const std::vector<int> columns = columns_of(m.c + m.a * 0.5, m.a, from.size.width, to.size.width);
  const auto is_inside = [](int column) { return column >= 0; };
  const auto first = std::find_if(columns.begin(), columns.end(), is_inside);
  const auto last = std::find_if_not(first, columns.end(), is_inside);
  double y = m.f + m.e * 0.5;
  for (int row = 0; row < to.size.height; ++row, y += m.e) {
    const int line = pixel_of(y);
    std::uint8_t* out = to.row(row);
    if (line < 0 || line >= from.size.height) {
      fill_run(out, to.size.width, fill);
      continue;
    }
    fill_run(out, static_cast<int>(first - columns.begin()), fill);
    out += (first - columns.begin()) * kChannels;
    const std::uint8_t* const in = from.row(line);
    for (auto column = first; column != last; ++column, out += kChannels)
      std::memcpy(out, in + std::ptrdiff_t{*column} * kChannels, kChannels);
    fill_run(out, static_cast<int>(columns.end() - last), fill);
  }
}

bool fits_fixed(const AffineMatrix& m, int x, int y) noexcept {
  return std::fabs(x * m.a + y * m.b + m.c) < kFixedLimit && std::fabs(x * m.d + y * m.e + m.f) < kFixedLimit;
}

void check(const AffineMatrix& m) {
  for (const double entry : {m.a, m.b, m.c, m.d, m.e, m.f}) {
    if (!std::isfinite(entry)) throw ArgumentError("an affine matrix has an entry that is not finite");
  }
}

}  // namespace

void affine(ImageView from, MutableImageView to, const AffineMatrix& m, Rgb fill) {
  check(m);
  if (to.size.width == 0 || to.size.height == 0)
    return;  // without pixels, fits_fixed() would not bound the entries
  if (m.b == 0 && m.d == 0) return scale(from, to, m, fill);
  const int w = to.size.width, h = to.size.height;
  if (fits_fixed(m, 0, 0) && fits_fixed(m, w, h) && fits_fixed(m, 0, h) && fits_fixed(m, w, 0)) {
    return copy_fixed(from, to, {to_fixed(m.c + m.a * 0.5 + m.b * 0.5), to_fixed(m.a), to_fixed(m.b)},
                      {to_fixed(m.f + m.d * 0.5 + m.e * 0.5), to_fixed(m.d), to_fixed(m.e)}, fill);
  }
  copy_double(from, to, {m.c + m.b * 0.5 + m.a * 0.5, m.a, m.b}, {m.f + m.e * 0.5 + m.d * 0.5, m.d, m.e},
              fill);
}

}  // namespace leat::detail
