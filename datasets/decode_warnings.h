/// \file
/// Defects of images that can still be decoded.
#pragma once

#include <cstdint>

#include "leat/datasets/export.h"

namespace leat {

/// A defect of an image that was decoded anyway. Unless stated otherwise, no pixel is missing.
enum class DecodeWarning : std::uint8_t {
  extraneous_bytes,  ///< JPEG: bytes between the segments of the header; they are skipped.
  /// JPEG: there is more coded data than the pixels need. That is harmless if bytes were added, but some pixels are
  /// wrong if bytes were changed; the two cannot be told apart.
  surplus_data,
  scan_parameters,  ///< JPEG: a sequential file has progressive parameters; they are ignored.
  jfif_revision,    ///< JPEG: the JFIF revision is later than the known ones.
  color_transform,  ///< JPEG: Adobe's marker states an unknown transform; YCbCr or YCCK is assumed.
  /// JPEG, PNG: the orientation was requested, but the EXIF data is damaged. The image is delivered as stored.
  exif,
  palette_index,  ///< PNG: a pixel has an index beyond the palette; it is black.
  png_chunks,     ///< PNG: libpng warned about something else.
  /// JPEG, PNG: pixels are missing or wrong, and JpegLimits::allow_corrupt accepts that.
  missing_data,
};

/// The number of kinds of warnings.
inline constexpr unsigned kDecodeWarnings = 9;

/// The set of one image's warnings.
class LEAT_EXPORT DecodeWarnings {
 public:
  /// Makes an empty set.
  constexpr DecodeWarnings() = default;

  /// Adds a warning.
  constexpr void add(DecodeWarning warning) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | 1U << static_cast<unsigned>(warning));
  }
  /// Whether the set contains this warning.
  constexpr bool has(DecodeWarning warning) const noexcept {
    return (bits_ >> static_cast<unsigned>(warning) & 1U) != 0;
  }
  /// Whether the set contains any warning.
  constexpr bool any() const noexcept { return bits_ != 0; }
  /// Returns the union of both sets.
  friend constexpr DecodeWarnings operator|(DecodeWarnings a, DecodeWarnings b) noexcept {
    a.bits_ = static_cast<std::uint16_t>(a.bits_ | b.bits_);
    return a;
  }
  friend constexpr bool operator==(DecodeWarnings, DecodeWarnings) = default;

 private:
  static_assert(kDecodeWarnings <= 16);
  std::uint16_t bits_ = 0;
};

}  // namespace leat
