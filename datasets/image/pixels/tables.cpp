#include "leat/datasets/image/pixels/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/pixels/rows.h"

namespace leat::detail {

namespace {

constexpr int kValues = 256;

using Table = std::array<std::uint8_t, kValues>;
using Histogram = std::array<std::int64_t, kValues>;

template <class Value>
constexpr Table table_of(Value value) {
  Table table{};
  for (int i = 0; i < kValues; ++i) table[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value(i));
  return table;
}

constexpr Table kSame = table_of([](int i) { return i; });

std::array<Histogram, kChannels> histograms_of(ImageView pixels) noexcept {
  std::array<Histogram, kChannels> counts{};
  for_each_run(pixels, [&](const std::uint8_t* rgb, std::size_t bytes) {
    for (const std::uint8_t* const end = rgb + bytes; rgb != end; rgb += kChannels) {
      ++counts[0][rgb[0]];
      ++counts[1][rgb[1]];
      ++counts[2][rgb[2]];
    }
  });
  return counts;
}

// Maps each channel with the table that `table_of` makes from the channel's histogram.
template <class TableOf>
void map_channels(MutableImageView pixels, TableOf table_of) {
  const std::array<Histogram, kChannels> counts = histograms_of(pixels);
  const std::array<Table, kChannels> tables{table_of(counts[0]), table_of(counts[1]), table_of(counts[2])};
  for_each_run(pixels, [&](std::uint8_t* rgb, std::size_t bytes) {
    for (std::uint8_t* const end = rgb + bytes; rgb != end; rgb += kChannels) {
      rgb[0] = tables[0][rgb[0]];
      rgb[1] = tables[1][rgb[1]];
      rgb[2] = tables[2][rgb[2]];
    }
  });
}

// The lowest and the highest value that occurs. Both are -1 if there are no pixels.
struct Extremes {
  int lowest = -1;
  int highest = -1;
};

Extremes extremes_of(const Histogram& counts) noexcept {
  Extremes found;
  for (int i = 0; i < kValues; ++i) {
    if (counts[static_cast<std::size_t>(i)] == 0) continue;
    if (found.lowest < 0) found.lowest = i;
    found.highest = i;
  }
  return found;
}

Table stretched(const Histogram& counts) noexcept {
  const auto [lowest, highest] = extremes_of(counts);
  if (highest <= lowest) return kSame;
  const double scale = 255.0 / (highest - lowest);
  const double offset = -lowest * scale;
  return table_of([&](int i) { return std::clamp(static_cast<int>(i * scale + offset), 0, 255); });
}

Table equalized(const Histogram& counts) noexcept {
  const auto [lowest, highest] = extremes_of(counts);
  if (highest <= lowest) return kSame;
  std::int64_t below = 0;
  for (int i = lowest; i < highest; ++i) below += counts[static_cast<std::size_t>(i)];
  const std::int64_t step = below / 255;
  if (step == 0) return kSame;
  std::int64_t sum = step / 2;
  return table_of([&](int i) {
    const std::int64_t value = std::min<std::int64_t>(sum / step, 255);
    sum += counts[static_cast<std::size_t>(i)];
    return value;
  });
}

}  // namespace

void invert(MutableImageView pixels) {
  solarize(pixels, 0);
}

void posterize(MutableImageView pixels, int bits) {
  if (bits < 0 || bits > 8) throw ArgumentError(fmt::format("a byte has no {} highest bits", bits));
  const auto mask = static_cast<std::uint8_t>(256 - (1 << (8 - bits)));
  for_each_run(pixels,
               [&](std::uint8_t* bytes, std::size_t count) { kernels::mask_bytes(bytes, count, mask); });
}

void solarize(MutableImageView pixels, int threshold) {
  if (threshold >= kValues) return;
  const auto from = static_cast<std::uint8_t>(std::max(threshold, 0));
  for_each_run(pixels, [&](std::uint8_t* bytes, std::size_t count) {
    kernels::invert_bytes_from(bytes, count, from);
  });
}

void auto_contrast(MutableImageView pixels) {
  map_channels(pixels, stretched);
}

void equalize(MutableImageView pixels) {
  map_channels(pixels, equalized);
}

}  // namespace leat::detail
