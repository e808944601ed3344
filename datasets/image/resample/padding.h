// Borders around images, as positions: for each pixel of the bordered image, the image pixel that it shows.
#pragma once

#include <vector>

#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/padding.h"

namespace leat::detail {

// An extent including its borders. Throws ArgumentError if it exceeds 2^20 pixels.
int padded_extent(int before, int extent, int after);

// Throws ArgumentError that names the transform if a border is negative or exceeds 2^20 pixels.
void require_padding(const char* transform, const Padding& padding);

// One dimension of a bordered image. A border of a border is again a border, so any number of pads, crops and flips
// is one list of positions.
class PaddedAxis {
 public:
  // Positions [at, at + count) show the image's [from, from + count), or fill number -from if `from` is negative.
  struct Run {
    int at;
    int from;
    int count;
  };

  PaddedAxis() = default;  // for an image without borders
  explicit PaddedAxis(int extent);

  int size() const noexcept { return static_cast<int>(from_.size()); }
  // The image position that is visible at i, or the negated number of a fill.
  int operator[](int i) const noexcept { return from_[static_cast<std::size_t>(i)]; }

  // `fill` is the number of the color of PaddingMode::constant. It must increase with each pad. Reflections repeat if
  // the border is wider than the image.
  void pad(int before, int after, PaddingMode mode, int fill);
  void crop(int first, int size);
  // Mirrors the axis for an image of that extent that is mirrored itself.
  void mirror(int extent);

  // The range of visible image positions. [0, 1) if no position is visible.
  PixelRange seen() const noexcept;
  // Adapts the axis to an image that now begins at its position `first`.
  void shift(int first) noexcept;
  // Whether the axis shows an image of that extent without borders.
  bool is_whole(int extent) const noexcept;
  std::vector<Run> runs() const;

 private:
  std::vector<int> from_;
};

}  // namespace leat::detail
