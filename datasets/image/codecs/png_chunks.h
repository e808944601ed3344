// The chunks of a PNG file (ISO/IEC 15948, 5.3): length, type, data, CRC.
#pragma once

#include <cstddef>
#include <span>

namespace leat::detail {

// Whether the bytes start with PNG's signature.
bool is_png(std::span<const std::byte> file) noexcept;

struct PngChunks {
  std::span<const std::byte> exif;  // data of the eXIf chunk, a TIFF structure; empty if there is none
  // EXIF data in a text chunk, as ImageMagick writes it: the first tEXt, zTXt or iTXt chunk with the keyword "Raw
  // profile type exif" or "Raw profile type APP1".
  std::span<const std::byte> profile = {};  // the chunk's data; empty if there is none
  char profile_kind = '\0';                 // 't', 'z' or 'i'
  bool cut_off = false;                     // the file has no IEND chunk
};

// Scans the chunks up to IEND. Throws DataError, without a file name, if the signature is missing, or if the file
// ends before IEND and `allow_cut_off` is not set. Checks neither the chunks' data nor their CRCs.
PngChunks scan_png(std::span<const std::byte> file, bool allow_cut_off = false);

}  // namespace leat::detail
