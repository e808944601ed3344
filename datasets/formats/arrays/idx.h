// IDX files (MNIST and similar sets): one array, plain or as .gz.
//
// Layout: two zero bytes, u8 element type, u8 number of dimensions, a big-endian u32 for each, then the elements,
// big-endian, in row-major order. Types: 0x08 u8, 0x09 i8, 0x0b i16, 0x0c i32, 0x0d f32, 0x0e f64.
// Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database", section "File formats".
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/tensor_view.h"

namespace leat::detail {

struct IdxArray {
  DType dtype = DType::u8;
  Shape shape;                   // at least one dimension
  std::vector<std::byte> bytes;  // row-major, in the host's byte order
};

// Reads the whole file. Checks the array's size against `max_bytes` before it allocates memory, and against the
// file's length, so that nothing is missing and nothing follows. Throws DataError, SystemError.
IdxArray read_idx(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{4} << 30);

}  // namespace leat::detail
