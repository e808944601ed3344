// How a camera was held: the orientation that EXIF data states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/geometry.h"

namespace leat::detail {

// What makes the upright image of the stored one: first rows and columns are exchanged, then the image is
// mirrored.
struct Orientation {
  bool exchanged = false;
  bool mirrored_x = false;
  bool mirrored_y = false;

  bool is_upright() const noexcept { return !exchanged && !mirrored_x && !mirrored_y; }
  friend bool operator==(const Orientation&, const Orientation&) = default;
};

// Of a JPEG's APP1 segment (from behind its length on): tag 0x0112 in the first directory of the TIFF
// structure behind "Exif" (CIPA DC-008, 4.6). Upright where the segment is none of EXIF's, or states nothing (or 0);
// nullopt where the data is damaged or states a number above 8: callers take it as upright, as Pillow's
// ImageOps.exif_transpose does.
std::optional<Orientation> exif_orientation(std::span<const std::byte> segment) noexcept;
// Of such a TIFF structure alone: a PNG's chunk eXIf.
std::optional<Orientation> tiff_orientation(std::span<const std::byte> structure) noexcept;

// The upright image's size; the stored one's for an upright one's size, too.
Size oriented(Size size, Orientation orientation) noexcept;

// Where rows and columns of the upright image, which has the given size, lie in the stored one.
struct StoredPart {
  PixelRange rows;
  PixelRange columns;
};
StoredPart stored_part(PixelRange rows, PixelRange columns, Size upright, Orientation orientation) noexcept;

// The upright pixels of a part that was decoded. `out` has the part's oriented size.
void turn_upright(ImageView stored, Orientation orientation, MutableImageView out) noexcept;

}  // namespace leat::detail
