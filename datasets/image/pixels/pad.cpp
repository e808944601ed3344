#include "datasets/image/pixels/pad.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "loader/base/errors.h"

namespace leat {

namespace {

// The one of `count` pixels that stands at position `at`, which may lie before or behind them.
int source_of(int at, int count, PaddingMode mode) noexcept {
  if (mode == PaddingMode::edge || count == 1) return std::clamp(at, 0, count - 1);
  const std::int64_t repeated = mode == PaddingMode::symmetric ? 1 : 0;  // how often the outermost pixel is
  const std::int64_t period = 2 * (count - 1 + repeated);
  const std::int64_t phase = (at % period + period) % period;
  return static_cast<int>(std::min(phase, period - repeated - phase));
}

void check(Size from, Size to, int left, int top, PaddingMode mode) {
  if (left < 0 || top < 0 || from.width > to.width - left || from.height > to.height - top) {
    throw ArgumentError(fmt::format("a picture of {} does not fit at ({}, {}) into one of {}",
                                    to_string(from), left, top, to_string(to)));
  }
  if (mode != PaddingMode::constant && (from.width == 0 || from.height == 0)) {
    throw ArgumentError("a picture of " + to_string(from) + " has no pixels to fill a border with");
  }
}

// A row of the output but for its borders' rows: the source's row with what is left and right of it.
void pad_row(const std::uint8_t* from, int width, std::uint8_t* to, int whole, int left, PaddingMode mode,
             Rgb fill) {
  const auto at = [&](int x) { return to + std::ptrdiff_t{x} * kChannels; };
  std::copy_n(from, static_cast<std::size_t>(width) * kChannels, at(left));
  if (mode == PaddingMode::constant) {
    fill_run(to, left, fill);
    fill_run(at(left + width), whole - left - width, fill);
    return;
  }
  const auto paint = [&](int first, int last) {
    for (int x = first; x < last; ++x)
      std::memcpy(at(x), from + std::ptrdiff_t{source_of(x - left, width, mode)} * kChannels, kChannels);
  };
  paint(0, left);
  paint(left + width, whole);
}

}  // namespace

void pad(ImageView from, MutableImageView to, int left, int top, PaddingMode mode, Rgb fill) {
  check(from.size, to.size, left, top, mode);
  for (int y = 0; y < from.size.height; ++y)
    pad_row(from.row(y), from.size.width, to.row(top + y), to.size.width, left, mode, fill);
  for (int y = 0; y < to.size.height; ++y) {
    if (y >= top && y < top + from.size.height) continue;
    if (mode == PaddingMode::constant) {
      fill_run(to.row(y), to.size.width, fill);
    } else {
      std::memcpy(to.row(y), to.row(top + source_of(y - top, from.size.height, mode)), to.row_bytes());
    }
  }
}

}  // namespace leat
