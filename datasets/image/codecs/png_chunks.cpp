#include "leat/datasets/image/codecs/png_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::array kSignature{std::byte{0x89}, std::byte{'P'},  std::byte{'N'},  std::byte{'G'},
                                std::byte{'\r'}, std::byte{'\n'}, std::byte{0x1a}, std::byte{'\n'}};
constexpr std::size_t kAround = 12;  // bytes of a chunk in addition to its data

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (const std::byte byte : bytes.first(4)) value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

bool is_exif_profile(std::span<const std::byte> data) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  const std::string_view keyword = text.substr(0, text.find('\0'));
  return keyword == "Raw profile type exif" || keyword == "Raw profile type APP1";
}

void take_chunk(std::string_view type, std::span<const std::byte> data, PngChunks& chunks) {
  if (type == "eXIf") chunks.exif = data;
  if ((type == "tEXt" || type == "zTXt" || type == "iTXt") && chunks.profile.empty() &&
      is_exif_profile(data)) {
    chunks.profile = data;
    chunks.profile_kind = type[0];
  }
}

}  // namespace

bool is_png(std::span<const std::byte> file) noexcept {
  return file.size() >= kSignature.size() && std::ranges::equal(file.first(kSignature.size()), kSignature);
}

PngChunks scan_png(std::span<const std::byte> file, bool allow_cut_off) {
  if (!is_png(file)) throw DataError("PNG data", "it does not start with PNG's signature");
  PngChunks chunks;
  for (std::size_t at = kSignature.size();;) {
    const std::size_t left = file.size() - at;
    const std::size_t length = left < kAround ? 0 : big_endian(file.subspan(at));
    if (left < kAround || left - kAround < length) {
      if (!allow_cut_off)
        throw DataError("PNG data", fmt::format("it was cut off: there is no whole chunk at byte {}", at));
      chunks.cut_off = true;
      return chunks;
    }
    const std::string_view type(reinterpret_cast<const char*>(file.data()) + at + 4, 4);
    if (type == "IEND") return chunks;
    take_chunk(type, file.subspan(at + 8, length), chunks);
    at += kAround + length;
  }
}

}  // namespace leat::detail
