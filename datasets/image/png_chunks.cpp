#include "datasets/image/png_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "loader/base/errors.h"

namespace leat {

namespace {

constexpr std::array kSignature{std::byte{0x89}, std::byte{'P'},  std::byte{'N'},  std::byte{'G'},
                                std::byte{'\r'}, std::byte{'\n'}, std::byte{0x1a}, std::byte{'\n'}};
constexpr std::size_t kAround = 12;  // bytes of a chunk beside its data

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (const std::byte byte : bytes.first(4)) value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

[[noreturn]] void fail_cut_off(std::size_t at) {
  throw DataError("PNG data", fmt::format("it was cut off: there is no whole chunk at byte {}", at));
}

}  // namespace

bool is_png(std::span<const std::byte> file) noexcept {
  return file.size() >= kSignature.size() && std::ranges::equal(file.first(kSignature.size()), kSignature);
}

PngChunks scan_png(std::span<const std::byte> file) {
  if (!is_png(file)) throw DataError("PNG data", "it does not start with PNG's signature");
  PngChunks chunks;
  for (std::size_t at = kSignature.size();;) {
    if (file.size() - at < kAround) fail_cut_off(at);
    const std::size_t length = big_endian(file.subspan(at));
    if (file.size() - at - kAround < length) fail_cut_off(at);
    const std::string_view type(reinterpret_cast<const char*>(file.data()) + at + 4, 4);
    if (type == "IEND") return chunks;
    if (type == "eXIf") chunks.exif = file.subspan(at + 8, length);
    at += kAround + length;
  }
}

}  // namespace leat
