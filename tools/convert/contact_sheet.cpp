#include "tools/convert/contact_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "leat/datasets/errors.h"
#include "tools/common/command_line.h"
#include "tools/convert/chart.h"
#include "tools/convert/sample_view.h"
#include "tools/convert/tiny_font.h"

namespace leat::tools {
namespace {

constexpr int kSide = 128, kGap = 4;
constexpr int kCellWidth = kSide + 2 * kGap, kCellHeight = kSide + 3 * kGap + kGlyphHeight;
constexpr std::uint8_t kBackground = 32;

// Draws one sample into its cell, which is a part of the sheet.
void draw_sample(const RecordConversion& source, const SampleView& view, std::size_t index,
                 MutableImageView cell) {
  std::string text;
  try {
    const Record sample = source.read(index);
    const Image image = view.thumbnail(sample, kSide);
    const Size size = image.size();
    const int left = kGap + (kSide - size.width) / 2, top = kGap + (kSide - size.height) / 2;
    for (int y = 0; y < size.height; ++y) {
      std::memcpy(cell.pixel(left, top + y), image.view().row(y), image.view().row_bytes());
    }
    const auto label = view.label(sample);
    if (label) text = class_name(*label, source.schema().classes());
  } catch (const Error&) {
    text = "BAD";
  }
  draw_text(text, kGap, kSide + 2 * kGap, cell);
}

}  // namespace

Image contact_sheet(const RecordConversion& source, std::size_t samples) {
  const SampleView view(source.schema());
  if (source.size() == 0 || !view.has_image()) throw UsageError("a contact sheet needs samples with images");
  const std::size_t shown = std::min(samples, source.size());
  const int columns = static_cast<int>(std::ceil(std::sqrt(double(shown))));
  const int rows = (static_cast<int>(shown) + columns - 1) / columns;
  Image sheet({columns * kCellWidth, rows * kCellHeight});
  const MutableImageView all = sheet.view();
  std::fill_n(all.data, all.row_bytes() * static_cast<std::size_t>(all.size.height), kBackground);
  for (std::size_t i = 0; i < shown; ++i) {
    const int x = static_cast<int>(i) % columns, y = static_cast<int>(i) / columns;
    draw_sample(source, view, i,
                {all.pixel(x * kCellWidth, y * kCellHeight), {kCellWidth, kCellHeight}, all.stride});
  }
  return sheet;
}

}  // namespace leat::tools
