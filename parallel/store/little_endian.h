// Integers in messages: 32 bits, little-endian, unsigned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace leat::detail {

inline void put_u32(std::string& bytes, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((value >> shift) & 0xff));
}

inline std::uint32_t get_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

}  // namespace leat::detail
