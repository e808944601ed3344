// Borders around pictures, as positions: which pixel of the picture each pixel of the bordered one shows.
#pragma once

#include <vector>

#include "leat/datasets/image/geometry.h"
#include "leat/datasets/image/image.h"

namespace leat {

enum class PaddingMode {
  constant,   // the fill colour
  edge,       // the nearest pixel
  reflect,    // mirrored at the outermost pixel, which is not repeated: c b | a b c | b a
  symmetric,  // mirrored at the edge: b a | a b c | c b
};

// How wide the borders are, in pixels; in torchvision's order.
struct Padding {
  int left, top, right, bottom;

  Padding(int all) : Padding(all, all) {}  // NOLINT(google-explicit-constructor): `.padding = 4`
  Padding(int across, int down) : Padding(across, down, across, down) {}
  Padding(int to_left, int to_top, int to_right, int to_bottom)
      : left(to_left), top(to_top), right(to_right), bottom(to_bottom) {}

  // The size of a picture with these borders. Throws ArgumentError beyond 2^20 pixels along an edge.
  Size around(Size picture) const;

  friend bool operator==(const Padding&, const Padding&) = default;
};

// Throws ArgumentError that names the transform where a border is negative.
void require_padding(const char* transform, const Padding& padding);

// One dimension of a bordered picture. Borders of borders are borders, so any number of pads, crops and mirrorings
// is one list of positions.
class PaddedAxis {
 public:
  // Positions [at, at + count) show the picture's [from, from + count); or, where `from` is negative, fill number -from.
  struct Run {
    int at;
    int from;
    int count;
  };

  PaddedAxis() = default;  // of a picture without borders
  explicit PaddedAxis(int extent);

  int size() const noexcept { return static_cast<int>(from_.size()); }
  // The picture's position seen at i, or -number of a fill.
  int operator[](int i) const noexcept { return from_[static_cast<std::size_t>(i)]; }

  // `fill` numbers the colour of PaddingMode::constant; it rises with each pad. Reflections repeat where the border is
  // wider than the picture.
  void pad(int before, int after, PaddingMode mode, int fill);
  void crop(int first, int size);
  // Of a picture of that extent, which is mirrored itself.
  void mirror(int extent);

  // The picture's positions that are seen; its first one where none is.
  PixelRange seen() const noexcept;
  // The picture now begins at its position `first`.
  void shift(int first) noexcept;
  // Whether it shows a picture of that extent without borders.
  bool is_whole(int extent) const noexcept;
  std::vector<Run> runs() const;

 private:
  std::vector<int> from_;
};

}  // namespace leat
