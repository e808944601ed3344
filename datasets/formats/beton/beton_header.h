// The header of an FFCV .beton file of version 2: fields, rows, and the positions of data regions.
//
// Little-endian. u16 version, u16 number of fields, u32 page size, u64 number of samples, u64 offset of the
// allocation table; then per field u8 type, name[16], arguments[1024]; then a row per sample, of the fields' values
// with C-like alignment; pages of data; the allocation table to the end of the file: u64 sample, u64 offset, u64 size
// each.
// Source: libffcv/ffcv, ffcv/types.py, ffcv/fields/*.py, ffcv/writer.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/encoding.h"
#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

enum class BetonType : std::uint8_t {
  number = 0,   // f64
  integer = 1,  // i64
  image = 2,    // u8 mode (0: JPEG file, 1: RGB pixels), u16 width, u16 height, u64 offset; packed
  bytes = 3,    // u64 offset, u64 size; packed
  array = 4,    // u64 offset
  json = 5,     // as bytes; the text ends in a zero byte
  tensor = 6,   // as array
};

struct BetonField {
  std::string name;
  BetonType type;
  std::size_t offset = 0;       // in the row
  Encoding encoding{};          // for arrays
  std::uint64_t array_bytes{};  // for arrays
};

struct BetonRegion {
  std::uint64_t offset;
  std::uint64_t size;
};

struct BetonHeader {
  std::vector<BetonField> fields;
  std::uint64_t samples = 0;
  std::uint64_t rows = 0;            // offset of the first row in the file
  std::size_t row_bytes = 0;         // from one row to the next
  std::vector<BetonRegion> regions;  // sorted by offset; they do not overlap
};

// Throws DataError if the file is not a .beton file, has another version, custom fields, counts or offsets that do
// not fit into the file, or regions that overlap.
BetonHeader read_beton_header(const FileReader& file);

}  // namespace leat::detail
