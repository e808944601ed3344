#include "datasets/image/pixels/affine.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "loader/base/errors.h"

namespace leat {

namespace {

constexpr int kFractionBits = 16;
constexpr double kFixedLimit = 32768;  // of coordinates in fixed point

// The pixel that holds a coordinate, -1 for all that are too large or too small for an int.
int pixel_of(double coordinate) noexcept {
  const double pixel = std::floor(coordinate);
  return pixel >= 0 && pixel <= std::numeric_limits<int>::max() ? static_cast<int>(pixel) : -1;
}

std::int64_t to_fixed(double value) noexcept {
  return static_cast<std::int64_t>(std::floor(value * (1 << kFractionBits) + 0.5));
}

// Where the source's pixels of a row of the output lie: at a first position, and then step by step.
struct FixedSteps {
  std::int64_t x, y;
  std::int64_t dx, dy;

  void next() noexcept { x += dx, y += dy; }
  int column() const noexcept { return static_cast<int>(x >> kFractionBits); }
  int line() const noexcept { return static_cast<int>(y >> kFractionBits); }
};

struct DoubleSteps {
  double x, y;
  double dx, dy;

  void next() noexcept { x += dx, y += dy; }
  int column() const noexcept { return pixel_of(x); }
  int line() const noexcept { return pixel_of(y); }
};

bool inside(Size size, int x, int y) noexcept {
  return x >= 0 && x < size.width && y >= 0 && y < size.height;
}

// A row of the output crosses the source in one piece.
template <class Steps>
void copy_row(ImageView from, Steps at, std::uint8_t* to, int width, Rgb fill) noexcept {
  int x = 0;
  while (x < width && !inside(from.size, at.column(), at.line())) ++x, at.next();
  fill_run(to, x, fill);
  std::uint8_t* out = to + std::ptrdiff_t{x} * kChannels;
  for (; x < width; ++x, at.next(), out += kChannels) {
    const int column = at.column(), line = at.line();
    if (!inside(from.size, column, line)) break;
    std::memcpy(out, from.pixel(column, line), kChannels);
  }
  fill_run(out, width - x, fill);
}

// `first`: of the first row. `down`: from one row to the next.
template <class Steps>
void copy_rows(ImageView from, MutableImageView to, Steps first, Steps down, Rgb fill) noexcept {
  for (int y = 0; y < to.size.height; ++y) {
    copy_row(from, first, to.row(y), to.size.width, fill);
    first.x += down.dx;
    first.y += down.dy;
  }
}

void scale(ImageView from, MutableImageView to, const AffineMatrix& m, Rgb fill) {
  std::vector<int> columns(static_cast<std::size_t>(to.size.width));
  double x = m.c + m.a * 0.5;
  for (int& column : columns) {
    column = pixel_of(x);
    x += m.a;
  }
  double y = m.f + m.e * 0.5;
  for (int row = 0; row < to.size.height; ++row, y += m.e) {
    const int line = pixel_of(y);
    std::uint8_t* out = to.row(row);
    for (const int column : columns) {
      if (inside(from.size, column, line)) {
        std::memcpy(out, from.pixel(column, line), kChannels);
      } else {
        fill_run(out, 1, fill);
      }
      out += kChannels;
    }
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
  if (m.b == 0 && m.d == 0) return scale(from, to, m, fill);
  const int w = to.size.width, h = to.size.height;
  if (fits_fixed(m, 0, 0) && fits_fixed(m, w, h) && fits_fixed(m, 0, h) && fits_fixed(m, w, 0)) {
    const FixedSteps first{to_fixed(m.c + m.a * 0.5 + m.b * 0.5), to_fixed(m.f + m.d * 0.5 + m.e * 0.5),
                           to_fixed(m.a), to_fixed(m.d)};
    return copy_rows(from, to, first, {0, 0, to_fixed(m.b), to_fixed(m.e)}, fill);
  }
  const DoubleSteps first{m.c + m.b * 0.5 + m.a * 0.5, m.f + m.e * 0.5 + m.d * 0.5, m.a, m.d};
  copy_rows(from, to, first, {0, 0, m.b, m.e}, fill);
}

}  // namespace leat
