#include "tests/datasets/support/tar_bytes.h"

#include <fmt/format.h>

namespace leat::test {

TarBytes& TarBytes::add(const TarEntry& entry) {
  const std::string size = fmt::format("{:011o}", entry.data.size());
  const auto header = [&](std::string_view checksum) {
    FileBytes block;
    block.padded(entry.name, 100).text("0000444").u8(0).text("0000000").u8(0).text("0000000").u8(0);
    block.padded(entry.size_field.value_or(size), 12).text("00000000000").u8(0).padded(checksum, 8);
    block.u8(static_cast<unsigned char>(entry.type)).zeros(100).padded(entry.magic, 8);
    return block.padded("bigdata", 32)
        .padded("bigdata", 32)
        .zeros(16)
        .padded(entry.prefix, 155)
        .zeros(12)
        .str();
  };
  unsigned sum = 0;
  for (const char c : header("        ")) sum += static_cast<unsigned char>(c);
  bytes_.text(header(fmt::format("{:06o}", sum + static_cast<unsigned>(entry.checksum_change))));
  bytes_.text(entry.data).align(512);
  return *this;
}

TarBytes& TarBytes::pax(std::string_view key, std::string_view value, char type) {
  const std::string rest = fmt::format(" {}={}\n", key, value);
  std::size_t length = rest.size() + 1;
  while (fmt::formatted_size("{}", length) + rest.size() != length) ++length;
  const std::string record = fmt::format("{}{}", length, rest);
  return add({.name = "PaxHeaders/x", .data = record, .type = type});
}

TarBytes& TarBytes::end(std::size_t blocks) {
  bytes_.zeros(512 * blocks);
  return *this;
}

}  // namespace leat::test
