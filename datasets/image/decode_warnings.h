// What may be wrong with an image that is decoded all the same.
#pragma once

#include <cstdint>

namespace leat {

enum class DecodeWarning : std::uint8_t {
  // Of JPEGs. No pixel is missing.
  extraneous_bytes,  // between the segments of the header; they are passed over
  // There is more coded data than the pixels need: harmless where bytes were added, but some pixels are wrong where bytes
  // were changed. The two cannot be told apart.
  surplus_data,
  scan_parameters,  // a sequential file states parameters that only progressive ones use; they are ignored
  jfif_revision,    // a later one than is known
  color_transform,  // Adobe's marker states an unknown one; YCbCr or YCCK is taken
  // Of both. The pixels are complete, and as they are stored.
  exif,  // the orientation was asked for, and the EXIF data that should state it is damaged
  // Of PNGs.
  palette_index,  // a pixel has a color that the palette lacks; it is black
  png_chunks,     // libpng warned about something else; the pixels are complete
  // Of both, where JpegLimits::allow_corrupt accepts it: pixels are missing or wrong.
  missing_data,
};
inline constexpr unsigned kDecodeWarnings = 9;

// A set of warnings: those of one image.
class DecodeWarnings {
 public:
  constexpr DecodeWarnings() = default;

  constexpr void add(DecodeWarning warning) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | 1U << static_cast<unsigned>(warning));
  }
  constexpr bool has(DecodeWarning warning) const noexcept {
    return (bits_ >> static_cast<unsigned>(warning) & 1U) != 0;
  }
  constexpr bool any() const noexcept { return bits_ != 0; }
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
