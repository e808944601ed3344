#include "leat/datasets/io/utf8.h"

#include <fmt/format.h>

#include <cstddef>

namespace leat::detail {

namespace {

// Returns the length of the first character of a text, which is not empty; 0 if the character is invalid.
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  // The second byte tells overlong forms, surrogates and numbers that are too large.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return 0;
  }
  return bytes;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string utf8_name(std::string_view name) {
  if (is_utf8(name)) return std::string(name);
  std::string text;
  while (!name.empty()) {
    const std::size_t bytes = character_bytes(name);
    if (bytes == 0 || name[0] == '%') {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(name[0]));
      name.remove_prefix(1);
    } else {
      text += name.substr(0, bytes);
      name.remove_prefix(bytes);
    }
  }
  return text;
}

}  // namespace leat::detail
