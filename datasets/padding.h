/// \file
/// Borders around images.
#pragma once

#include <cstdint>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/image_size.h"

namespace leat {

/// Which pixels a border shows.
enum class PaddingMode : std::uint8_t {
  constant,   ///< The fill color.
  edge,       ///< The nearest pixel.
  reflect,    ///< Mirrored at the outermost pixel, without repeating it: c b | a b c | b a.
  symmetric,  ///< Mirrored at the edge: b a | a b c | c b.
};

/// Returns "constant", "edge", "reflect" or "symmetric".
LEAT_EXPORT std::string_view name_of(PaddingMode mode) noexcept;

/// The widths of borders, in pixels, in torchvision's order.
struct LEAT_EXPORT Padding {
  int left;    ///< Pixels to the left of the image.
  int top;     ///< Pixels above it.
  int right;   ///< Pixels to its right.
  int bottom;  ///< Pixels below it.

  /// Makes borders of the same width on all sides.
  Padding(int all) : Padding(all, all) {}  // NOLINT(google-explicit-constructor): `.padding = 4`
  /// Makes borders of `across` pixels to the left and right, and `down` pixels above and below.
  Padding(int across, int down) : Padding(across, down, across, down) {}
  /// Makes a border with a separate width on each side.
  Padding(int to_left, int to_top, int to_right, int to_bottom)
      : left(to_left), top(to_top), right(to_right), bottom(to_bottom) {}

  /// Returns the size of an image with these borders. Throws ArgumentError if an edge exceeds 2^20 pixels.
  Size around(Size image) const;

  friend bool operator==(const Padding&, const Padding&) = default;
};

}  // namespace leat
