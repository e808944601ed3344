#include "leat/datasets/image/resample/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr int kMostExtent = 1 << 20;
constexpr int kOutside = -1;

// The pixel, of `extent` pixels, that is visible at position i, which may lie outside. kOutside in a border of one
// color.
int position(int i, int extent, PaddingMode mode) noexcept {
  if (i >= 0 && i < extent) return i;
  if (mode == PaddingMode::constant) return kOutside;
  if (mode == PaddingMode::edge) return std::clamp(i, 0, extent - 1);
  const int repeated = mode == PaddingMode::symmetric ? 1 : 0;  // whether the outermost pixel is repeated
  const int period = std::max(1, 2 * (extent - 1 + repeated));
  const int k = (i % period + period) % period;
  return k < extent ? k : period - k - repeated;
}

// Whether a position that shows `from` continues the run before it.
bool goes_on(const PaddedAxis::Run& run, int from) noexcept {
  return from == (run.from < 0 ? run.from : run.from + run.count);
}

}  // namespace

int padded_extent(int before, int extent, int after) {
  const std::int64_t sum = std::int64_t{before} + extent + after;
  if (sum > kMostExtent) {
    throw ArgumentError(fmt::format("an image with borders of {} + {} + {} pixels; {} are the most", before,
                                    extent, after, kMostExtent));
  }
  return static_cast<int>(sum);
}

void require_padding(const char* transform, const Padding& padding) {
  const auto [left, top, right, bottom] = padding;
  if (std::max({left, top, right, bottom}) > kMostExtent) {
    throw ArgumentError(fmt::format("{}: padding of {}, {}, {}, {}: {} are the most", transform, left, top,
                                    right, bottom, kMostExtent));
  }
  if (std::min({left, top, right, bottom}) >= 0) return;
  throw ArgumentError(fmt::format("{}: padding of {}, {}, {}, {}: borders are not negative", transform, left,
                                  top, right, bottom));
}

PaddedAxis::PaddedAxis(int extent) : from_(static_cast<std::size_t>(extent)) {
  std::iota(from_.begin(), from_.end(), 0);
}

void PaddedAxis::pad(int before, int after, PaddingMode mode, int fill) {
  const int extent = size();
  std::vector<int> padded;
  padded.reserve(static_cast<std::size_t>(padded_extent(before, extent, after)));
  for (int i = -before; i < extent + after; ++i) {
    const int seen = position(i, extent, mode);
    padded.push_back(seen == kOutside ? -fill : (*this)[seen]);
  }
  from_ = std::move(padded);
}

void PaddedAxis::crop(int first, int size) {
  from_.erase(from_.begin() + first + size, from_.end());
  from_.erase(from_.begin(), from_.begin() + first);
}

void PaddedAxis::mirror(int extent) {
  std::ranges::reverse(from_);
  for (int& from : from_) from = from < 0 ? from : extent - 1 - from;
}

PixelRange PaddedAxis::seen() const noexcept {
  PixelRange seen{0, 0};
  for (const int from : from_) {
    if (from < 0) continue;
    seen.first = seen.last == 0 ? from : std::min(seen.first, from);
    seen.last = std::max(seen.last, from + 1);
  }
  return seen.last == 0 ? PixelRange{0, 1} : seen;
}

void PaddedAxis::shift(int first) noexcept {
  for (int& from : from_) from = from < 0 ? from : from - first;
}

bool PaddedAxis::is_whole(int extent) const noexcept {
  if (size() != extent) return false;
  for (int i = 0; i < extent; ++i) {
    if ((*this)[i] != i) return false;
  }
  return true;
}

std::vector<PaddedAxis::Run> PaddedAxis::runs() const {
  std::vector<Run> runs;
  for (int i = 0; i < size(); ++i) {
    const int from = (*this)[i];
    if (!runs.empty() && goes_on(runs.back(), from)) {
      ++runs.back().count;
    } else {
      runs.push_back({i, from, 1});
    }
  }
  return runs;
}

}  // namespace leat::detail
