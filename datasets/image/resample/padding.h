// Borders around images, as positions: which pixel of the image each pixel of the bordered one shows.
#pragma once

#include <vector>

#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/padding.h"

namespace leat::detail {

// An extent with its borders. Throws ArgumentError beyond 2^20 pixels.
int padded_extent(int before, int extent, int after);

// Throws ArgumentError that names the transform where a border is negative.
void require_padding(const char* transform, const Padding& padding);

// One dimension of a bordered image. Borders of borders are borders, so any number of pads, crops and mirrorings
// is one list of positions.
class PaddedAxis {
 public:
  // Positions [at, at + count) show the image's [from, from + count); or, where `from` is negative, fill number -from.
  struct Run {
    int at;
    int from;
    int count;
  };

  PaddedAxis() = default;  // of an image without borders
  explicit PaddedAxis(int extent);

  int size() const noexcept { return static_cast<int>(from_.size()); }
  // The image's position seen at i, or -number of a fill.
  int operator[](int i) const noexcept { return from_[static_cast<std::size_t>(i)]; }

  // `fill` numbers the color of PaddingMode::constant; it rises with each pad. Reflections repeat where the border is
  // wider than the image.
  void pad(int before, int after, PaddingMode mode, int fill);
  void crop(int first, int size);
  // Of an image of that extent, which is mirrored itself.
  void mirror(int extent);

  // The image's positions that are seen; its first one where none is.
  PixelRange seen() const noexcept;
  // The image now begins at its position `first`.
  void shift(int first) noexcept;
  // Whether it shows an image of that extent without borders.
  bool is_whole(int extent) const noexcept;
  std::vector<Run> runs() const;

 private:
  std::vector<int> from_;
};

}  // namespace leat::detail
