#include "leat/datasets/formats/arrays/npy.h"

#include <fmt/format.h>

#include <string>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

std::string descriptor(DType dtype) {
  if (dtype == DType::bf16) throw ArgumentError("NumPy has no bf16");
  const char kind = name_of(dtype)[0];  // u, i, f or b, as in NumPy
  return fmt::format("{}{}{}", size_of(dtype) == 1 ? '|' : '<', kind, size_of(dtype));
}

}  // namespace

std::vector<std::byte> to_npy(DType dtype, const Shape& shape, std::span<const std::byte> values) {
  constexpr std::size_t kAlignment = 64,
                        kFixed = 10;  // the magic, the version, and the header's length in u16
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descriptor(dtype), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(kAlignment - 1 - (kFixed + header.size()) % kAlignment, ' ');
  header += '\n';
  const std::string magic("\x93NUMPY\x01\x00", 8);
  const std::string all =
      magic + static_cast<char>(header.size() & 0xff) + static_cast<char>(header.size() >> 8) + header;
  const auto bytes = std::as_bytes(std::span(all));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  file.insert(file.end(), values.begin(), values.end());
  return file;
}

}  // namespace leat::detail
