#include "leat/datasets/image/codecs/png_exif.h"

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

namespace {

// The first directory, which holds the orientation, is at the start. A thumbnail after it need not be inflated.
constexpr std::size_t kMostInflated = std::size_t{64} << 10;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Inflates the valid part of the data, and at most kMostInflated bytes.
std::string inflated(std::string_view compressed) {
  std::string text(kMostInflated, '\0');
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_SYNC_FLUSH);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

// The text after the first `count` zero bytes.
std::string_view behind_zeros(std::string_view text, int count) {
  for (; count > 0; --count) {
    const std::size_t zero = text.find('\0');
    if (zero == std::string_view::npos) return {};
    text.remove_prefix(zero + 1);
  }
  return text;
}

// The text of the chunk (ISO/IEC 15948, 11.3.4).
std::string text_of_profile(const PngChunks& chunks) {
  const std::string_view rest = behind_zeros(text_of(chunks.profile), 1);
  if (chunks.profile_kind == 't') return std::string(rest);
  if (chunks.profile_kind == 'z') return inflated(rest.substr(std::min<std::size_t>(1, rest.size())));
  if (rest.size() < 2) return {};
  const std::string_view text = behind_zeros(rest.substr(2), 2);  // after language and translated keyword
  return rest[0] == '\1' ? inflated(text) : std::string(text);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A raw profile consists of three lines, the third with the length, followed by lines of hexadecimal digits.
std::vector<std::byte> bytes_of_profile(const std::string& text) {
  std::size_t at = 0;
  for (int line = 0; line < 3; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  std::vector<std::byte> bytes;
  int high = -1;
  for (; at < text.size(); ++at) {
    const int digit = hex_digit(text[at]);
    if (digit < 0) continue;
    if (high >= 0) bytes.push_back(static_cast<std::byte>(high << 4 | digit));
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

}  // namespace

std::optional<Orientation> png_orientation(const PngChunks& chunks) {
  if (!chunks.exif.empty()) return tiff_orientation(chunks.exif);
  if (chunks.profile.empty()) return Orientation{};
  const std::vector<std::byte> profile = bytes_of_profile(text_of_profile(chunks));
  if (profile.empty()) return std::nullopt;
  const std::string_view start = text_of(profile).substr(0, 2);
  return start == "II" || start == "MM" ? tiff_orientation(profile) : exif_orientation(profile);
}

}  // namespace leat::detail
