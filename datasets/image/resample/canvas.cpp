#include "leat/datasets/image/resample/canvas.h"

#include <algorithm>
#include <cstring>

#include "leat/datasets/errors.h"

namespace leat::detail {

void Canvas::crop(int left, int top, Size size) {
  if (!is_bordered()) return geometry_.crop(left, top, size);
  require_inside(left, top, size, this->size());
  x_.crop(left, size.width);
  y_.crop(top, size.height);
}

void Canvas::resize(Size size, Filter filter, FilterReach filter_reach) {
  if (is_bordered()) {
    throw ArgumentError(
        "an image with borders is not resized: put Pad and RandomCrop behind the last resize");
  }
  geometry_.resize(size, filter, filter_reach);
}

void Canvas::flip() {
  geometry_.flip();
  if (is_bordered()) x_.mirror(geometry_.output().width);
}

void Canvas::flip_vertically() {
  geometry_.flip_vertically();
  if (is_bordered()) y_.mirror(geometry_.output().height);
}

void Canvas::pad(const Padding& padding, PaddingMode mode, Rgb fill) {
  if (padding == Padding(0)) return;
  if (!is_bordered()) {
    x_ = PaddedAxis(geometry_.output().width);
    y_ = PaddedAxis(geometry_.output().height);
  }
  fills_.push_back(fill);
  const auto number = static_cast<int>(fills_.size());
  x_.pad(padding.left, padding.right, mode, number);
  y_.pad(padding.top, padding.bottom, mode, number);
}

void Canvas::trim() {
  if (!is_bordered()) return;
  const PixelRange columns = x_.seen(), rows = y_.seen();
  geometry_.crop(columns.first, rows.first, {columns.size(), rows.size()});
  x_.shift(columns.first);
  y_.shift(rows.first);
  if (x_.is_whole(columns.size()) && y_.is_whole(rows.size())) x_ = y_ = PaddedAxis();
}

void Canvas::paint(ImageView image, MutableImageView out) const {
  const std::vector<PaddedAxis::Run> runs = x_.runs();
  for (int y = 0; y < out.size.height; ++y) paint_row(image, y_[y], runs, out.row(y));
}

void Canvas::paint_row(ImageView image, int from, const std::vector<PaddedAxis::Run>& runs,
                       std::uint8_t* to) const {
  for (const PaddedAxis::Run& run : runs) {
    // Where two borders overlap, the outer one, which was added later, covers the inner one.
    const int fill = std::min(run.from, from);
    std::uint8_t* const at = to + std::ptrdiff_t{run.at} * kChannels;
    if (fill < 0) {
      fill_run(at, run.count, fills_[static_cast<std::size_t>(-fill - 1)]);
    } else {
      std::memcpy(at, image.pixel(run.from, from), static_cast<std::size_t>(run.count) * kChannels);
    }
  }
}

}  // namespace leat::detail
