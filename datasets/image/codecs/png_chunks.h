// The chunks of a PNG file (ISO/IEC 15948, 5.3): length, type, data, CRC.
#pragma once

#include <cstddef>
#include <span>

namespace leat::detail {

// Whether the bytes start with PNG's signature.
bool is_png(std::span<const std::byte> file) noexcept;

struct PngChunks {
  std::span<const std::byte> exif;  // the data of eXIf, a TIFF structure; empty: there is none
  // EXIF data in a text, as ImageMagick writes it: the first chunk tEXt, zTXt or iTXt called "Raw profile type exif" or
  // "Raw profile type APP1".
  std::span<const std::byte> profile = {};  // its data; empty: there is none
  char profile_kind = '\0';                 // 't', 'z' or 'i'
  bool cut_off = false;                     // there is no IEND
};

// Goes from chunk to chunk up to IEND. Throws DataError, without a file name, where the signature is missing or, unless
// `allow_cut_off`, the file ends before. Neither data nor CRCs are looked at.
PngChunks scan_png(std::span<const std::byte> file, bool allow_cut_off = false);

}  // namespace leat::detail
