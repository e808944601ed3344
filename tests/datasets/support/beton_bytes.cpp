#include "tests/datasets/support/beton_bytes.h"

#include <fmt/format.h>

#include "tests/datasets/support/file_bytes.h"

namespace leat::test {

std::uint64_t BetonBytes::first_page() const {
  const std::size_t end = 24 + 1041 * columns.size() + (rows.empty() ? 0 : rows.size() * rows[0].size());
  return (end + kPage - 1) / kPage * kPage;
}

std::string BetonBytes::str() const {
  const std::uint64_t table = region(regions.size());
  FileBytes file;
  file.u16(2).u16(static_cast<unsigned>(columns.size())).u32(1 << 21).u64(rows.size()).u64(table);
  for (const BetonColumn& column : columns) {
    file.u8(column.type).padded(column.name, 16).padded(column.arguments, 1024);
  }
  for (const std::string& row : rows) file.text(row);
  file.align(kPage);
  for (const std::string& data : regions) file.text(data).align(kPage);
  for (std::size_t i = regions.size(); i-- > 0;)
    file.u64(i).u64(region(i)).u64(regions[i].size());  // unsorted
  return file.str();
}

std::string array_arguments(const std::vector<std::uint64_t>& shape, std::string_view numpy_type) {
  const std::string description = fmt::format(R"([["", "{}"]])", numpy_type);
  FileBytes bytes;
  for (const std::uint64_t extent : shape) bytes.u64(extent);
  return bytes.zeros(256 - 8 * shape.size()).u64(description.size()).text(description).str();
}

}  // namespace leat::test
