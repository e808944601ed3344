// The chunks of a PNG file (ISO/IEC 15948, 5.3): length, type, data, CRC.
#pragma once

#include <cstddef>
#include <span>

namespace leat {

// Whether the bytes start with PNG's signature.
bool is_png(std::span<const std::byte> file) noexcept;

struct PngChunks {
  std::span<const std::byte> exif;  // the data of eXIf, a TIFF structure; empty: there is none
};

// Goes from chunk to chunk up to IEND. Throws DataError, without a file name, where the signature is missing or the
// file ends before. Neither data nor CRCs are looked at.
PngChunks scan_png(std::span<const std::byte> file);

}  // namespace leat
