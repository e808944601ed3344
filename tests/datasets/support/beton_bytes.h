// FFCV's .beton files, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::test {

struct BetonColumn {
  unsigned type;
  std::string_view name;
  std::string arguments = {};  // up to 1024 bytes
};

// Puts the rows and the data where a writer would: at page boundaries of 4 KiB, for the tests' sake.
struct BetonBytes {
  std::vector<BetonColumn> columns;
  std::vector<std::string> rows;     // of equal length, with their padding
  std::vector<std::string> regions;  // data, in the order of their offsets

  static constexpr std::size_t kPage = 4096;
  std::uint64_t first_page() const;  // where the first region lies; each has a page of its own
  std::uint64_t region(std::size_t i) const { return first_page() + kPage * i; }
  std::string str() const;
};

// Arguments of an array.
std::string array_arguments(const std::vector<std::uint64_t>& shape, std::string_view numpy_type);

}  // namespace leat::test
