// Image orientation from EXIF data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/geometry.h"

namespace leat::detail {

// Turns a stored image upright: first rows and columns are exchanged, then the image is mirrored.
struct Orientation {
  bool exchanged = false;
  bool mirrored_x = false;
  bool mirrored_y = false;

  bool is_upright() const noexcept { return !exchanged && !mirrored_x && !mirrored_y; }
  friend bool operator==(const Orientation&, const Orientation&) = default;
};

// Reads the orientation from a JPEG's APP1 segment (its bytes after the length field): tag 0x0112 in the first
// directory of the TIFF structure that follows "Exif" (CIPA DC-008, 4.6). Returns upright if the segment is not an
// EXIF segment, or if it states no orientation or 0. Returns nullopt if the data is damaged or states a number above
// 8. Callers treat nullopt as upright, as Pillow's ImageOps.exif_transpose does.
std::optional<Orientation> exif_orientation(std::span<const std::byte> segment) noexcept;
// The same for a TIFF structure without the "Exif" prefix, as in a PNG's eXIf chunk.
std::optional<Orientation> tiff_orientation(std::span<const std::byte> structure) noexcept;

// The size of the upright image for a stored size. Also the inverse: the stored size for an upright size.
Size oriented(Size size, Orientation orientation) noexcept;

// The part of the stored image that holds the given rows and columns of the upright image.
struct StoredPart {
  PixelRange rows;
  PixelRange columns;
};
StoredPart stored_part(PixelRange rows, PixelRange columns, Size upright, Orientation orientation) noexcept;

// Turns the pixels of a decoded part upright. `out` has the part's oriented size.
void turn_upright(ImageView stored, Orientation orientation, MutableImageView out) noexcept;

}  // namespace leat::detail
