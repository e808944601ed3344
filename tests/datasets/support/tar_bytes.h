// Tar archives, header by header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/datasets/support/file_bytes.h"

namespace leat::test {

struct TarEntry {
  std::string_view name;
  std::string_view data = {};
  char type = '0';
  std::string_view prefix = {};
  std::optional<std::string_view> size_field = {};  // 12 bytes, instead of the octal length of `data`
  int checksum_change = 0;
  std::string_view magic = std::string_view(
      "ustar\0"
      "00",
      8);  // and version; 8 bytes, padded with zeros
};

class TarBytes {
 public:
  TarBytes& add(const TarEntry& entry);
  TarBytes& pax(std::string_view key, std::string_view value, char type = 'x');  // for the entry that follows
  TarBytes& end(std::size_t blocks = 2);

  const std::string& str() const noexcept { return bytes_.str(); }

 private:
  FileBytes bytes_;
};

}  // namespace leat::test
