// Appends little-endian numbers, bytes and text to a byte vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace leat::detail {

template <class T>
void append_little(std::vector<std::byte>& bytes, T value) {
  static_assert(std::is_integral_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
}

inline void append_bytes(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  const std::size_t before = bytes.size();
  bytes.resize(before + more.size());
  std::ranges::copy(more, bytes.begin() + static_cast<std::ptrdiff_t>(before));
}

inline void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append_bytes(bytes, std::as_bytes(std::span(text)));
}

}  // namespace leat::detail
