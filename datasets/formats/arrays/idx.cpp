#include "leat/datasets/formats/arrays/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/io/gzip_reader.h"
#include "leat/datasets/io/inflater.h"

namespace leat::detail {

namespace {

constexpr std::size_t kMaxDimensions = 8;

// Fills `bytes` with the next bytes of the file, which are inflated if it is compressed.
using Fill = std::function<void(std::span<std::byte>)>;

DType dtype_of_code(std::uint8_t code, const ByteReader& reader) {
  switch (code) {
    case 0x08:
      return DType::u8;
    case 0x09:
      return DType::i8;
    case 0x0b:
      return DType::i16;
    case 0x0c:
      return DType::i32;
    case 0x0d:
      return DType::f32;
    case 0x0e:
      return DType::f64;
    default:
      reader.fail(fmt::format("the element type {:#04x} is not known to IDX", code));
  }
}

Shape read_shape(std::size_t dimensions, const std::string& path, const Fill& fill) {
  std::vector<std::byte> header(4 * dimensions);
  fill(header);
  ByteReader reader(header, path, 4);
  Shape shape;
  for (std::size_t i = 0; i < dimensions; ++i) shape.push_back(reader.big<std::uint32_t>());
  return shape;
}

std::size_t checked_bytes(const IdxArray& array, std::size_t max_bytes, const std::string& path) {
  std::size_t bytes = size_of(array.dtype);
  for (const std::size_t extent : array.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw DataError(path, "its size exceeds 64 bits");
  }
  if (bytes <= max_bytes) return bytes;
  throw DataError(path,
                  fmt::format("its header claims {} bytes of elements, the limit is {}", bytes, max_bytes));
}

void to_host_order(IdxArray& array) {
  const std::size_t element = size_of(array.dtype);
  if (element == 1 || std::endian::native == std::endian::big) return;
  for (std::size_t i = 0; i < array.bytes.size(); i += element) {
    std::reverse(array.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 array.bytes.begin() + static_cast<std::ptrdiff_t>(i + element));
  }
}

IdxArray read_array(const std::string& path, std::size_t max_bytes, const Fill& fill) {
  std::array<std::byte, 4> magic{};
  fill(magic);
  ByteReader reader(magic, path);
  if (reader.big<std::uint16_t>() != 0)
    reader.fail("an IDX file starts with two zero bytes; this one does not");
  IdxArray array;
  array.dtype = dtype_of_code(reader.little<std::uint8_t>(), reader);
  const std::size_t dimensions = reader.little<std::uint8_t>();
  if (dimensions == 0 || dimensions > kMaxDimensions) {
    reader.fail(fmt::format("{} dimensions; 1 to {} are read", dimensions, kMaxDimensions));
  }
  array.shape = read_shape(dimensions, path, fill);
  array.bytes.resize(checked_bytes(array, max_bytes, path));
  fill(array.bytes);
  to_host_order(array);
  return array;
}

// Deflate expands one byte to 1032 at most, so a short file cannot ask for much memory.
IdxArray read_compressed(const FileReader& file, std::size_t max_bytes) {
  constexpr std::uint64_t kMaxRatio = 1032;
  GzipReader gzip(file);
  max_bytes = std::min<std::uint64_t>(max_bytes, checked_multiply(file.size(), kMaxRatio));
  IdxArray array = read_array(file.path(), max_bytes, [&](std::span<std::byte> bytes) { gzip.read(bytes); });
  gzip.finish();
  return array;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& path, std::size_t max_bytes) {
  const FileReader file(path);
  if (compression_of(file) == "gzip") return read_compressed(file, max_bytes);
  std::uint64_t position = 0;
  const auto fill = [&](std::span<std::byte> bytes) {
    file.read(position, bytes);
    position += bytes.size();
  };
  IdxArray array = read_array(file.path(), std::min<std::uint64_t>(max_bytes, file.size()), fill);
  if (position == file.size()) return array;
  throw DataError(file.path(), fmt::format("{} bytes follow the {} that its header claims",
                                           file.size() - position, position));
}

}  // namespace leat::detail
