#include "leat/datasets/formats/tar/tar_header.h"

#include <algorithm>
#include <string_view>

namespace leat::detail {

namespace {

struct Place {
  std::size_t offset;
  std::size_t length;
};

constexpr Place kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kMagic{257, 6}, kPrefix{345, 155};
constexpr std::size_t kType = 156;

using Block = std::span<const std::byte, 512>;

std::string_view field(Block block, Place place) {
  return {reinterpret_cast<const char*>(block.data()) + place.offset, place.length};
}

std::string_view until_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

// Parses octal digits between blanks. All blanks are 0.
std::optional<std::uint64_t> octal(std::string_view text) {
  text = until_nul(text);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');  // at most 12 digits: 36 bits
  }
  return value;
}

// Parses GNU's base-256: the first byte is 0x80, the others are a big-endian number. Rejects negative sizes (0xff).
std::optional<std::uint64_t> number(std::string_view text) {
  if ((static_cast<unsigned char>(text.front()) & 0x80) == 0) return octal(text);
  if (static_cast<unsigned char>(text.front()) != 0x80) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text.substr(1)) {
    if (value >> 55 != 0) return std::nullopt;
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

// The checksum is the sum of all bytes, with blanks in the place of the checksum. Some old writers used signed bytes.
bool checksum_fits(Block block) {
  const std::optional<std::uint64_t> stored = octal(field(block, kChecksum));
  std::int64_t plain = 0, with_signs = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool in_checksum = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.length;
    const auto byte = in_checksum ? std::uint8_t{' '} : std::to_integer<std::uint8_t>(block[i]);
    plain += byte;
    with_signs += static_cast<std::int8_t>(byte);
  }
  if (!stored) return false;
  return static_cast<std::int64_t>(*stored) == plain || static_cast<std::int64_t>(*stored) == with_signs;
}

}  // namespace

bool is_zero(Block block) noexcept {
  return std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; });
}

const char* parse_tar_header(Block block, TarHeader& header) {
  if (!checksum_fits(block)) return "the header's checksum is wrong";
  const std::optional<std::uint64_t> size = number(field(block, kSize));
  if (!size) return "the header's size is no number";
  header.size = *size;
  header.type = static_cast<char>(block[kType]);
  header.name = until_nul(field(block, kName));
  const bool is_ustar = field(block, kMagic) == std::string_view("ustar\0", 6);
  const std::string_view prefix = is_ustar ? until_nul(field(block, kPrefix)) : std::string_view();
  if (!prefix.empty()) header.name = std::string(prefix) + '/' + header.name;
  return nullptr;
}

}  // namespace leat::detail
