// Files made byte by byte, as their specifications say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::test {

class FileBytes {
 public:
  template <class T>
  FileBytes& little(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) put(static_cast<std::uint64_t>(value) >> (8 * i));
    return *this;
  }
  template <class T>
  FileBytes& big(T value) {
    for (std::size_t i = sizeof(T); i-- > 0;) put(static_cast<std::uint64_t>(value) >> (8 * i));
    return *this;
  }
  FileBytes& u8(unsigned value) { return little(static_cast<std::uint8_t>(value)); }
  FileBytes& u16(unsigned value) { return little(static_cast<std::uint16_t>(value)); }
  FileBytes& u32(std::uint32_t value) { return little(value); }
  FileBytes& u64(std::uint64_t value) { return little(value); }
  FileBytes& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  FileBytes& padded(std::string_view value, std::size_t width, char fill = '\0') {
    bytes_ += value;
    bytes_.append(width - value.size(), fill);
    return *this;
  }
  FileBytes& zeros(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  FileBytes& align(std::size_t unit) { return zeros((unit - bytes_.size() % unit) % unit); }

  std::size_t size() const noexcept { return bytes_.size(); }
  const std::string& str() const noexcept { return bytes_; }
  operator std::string_view() const noexcept { return bytes_; }

 private:
  void put(std::uint64_t value) { bytes_ += static_cast<char>(value & 0xff); }

  std::string bytes_;
};

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace leat::test
