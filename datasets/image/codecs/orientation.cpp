#include "leat/datasets/image/codecs/orientation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace leat::detail {

namespace {

// Reads numbers of a TIFF structure in its byte order. Returns nullopt for numbers that lie beyond the end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes) {
    little_ = bytes.size() >= 2 && bytes[0] == std::byte{'I'} && bytes[1] == std::byte{'I'};
  }

  std::optional<std::uint32_t> number(std::uint64_t at, unsigned size) const noexcept {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      const std::byte byte = bytes_[at + (little_ ? size - 1 - i : i)];
      value = value << 8 | static_cast<std::uint32_t>(byte);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool little_ = false;
};

// The value of a tag that holds one 16-bit number, in the directory at `directory`. Returns `otherwise` if the
// directory is complete but has no such tag, and nullopt if the directory is truncated.
std::optional<std::uint32_t> find_short(const Tiff& tiff, std::uint64_t directory, std::uint32_t tag,
                                        std::uint32_t otherwise) noexcept {
  constexpr std::uint32_t kShort = 3;
  constexpr std::uint64_t kEntry = 12;  // bytes of an entry: tag, type, count, value
  const auto entries = tiff.number(directory, 2);
  if (!entries) return std::nullopt;
  for (std::uint32_t i = 0; i < *entries; ++i) {
    const std::uint64_t entry = directory + 2 + i * kEntry;
    const auto found = tiff.number(entry, 2);
    if (!found) return std::nullopt;
    if (*found == tag && tiff.number(entry + 2, 2) == kShort) return tiff.number(entry + 8, 2);
  }
  return otherwise;
}

bool starts_with(std::span<const std::byte> bytes, std::string_view text) noexcept {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, std::byte byte) { return static_cast<std::byte>(c) == byte; });
}

PixelRange mirrored(PixelRange range, int size) noexcept {
  return {size - range.last, size - range.first};
}

}  // namespace

std::optional<Orientation> exif_orientation(std::span<const std::byte> segment) noexcept {
  using namespace std::string_view_literals;
  constexpr std::string_view kStart = "Exif\0\0"sv;
  return starts_with(segment, kStart) ? tiff_orientation(segment.subspan(kStart.size())) : Orientation{};
}

std::optional<Orientation> tiff_orientation(std::span<const std::byte> structure) noexcept {
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr Orientation kOrientations[] = {{false, false, false}, {false, true, false}, {false, true, true},
                                           {false, false, true},  {true, false, false}, {true, true, false},
                                           {true, true, true},    {true, false, true}};
  const Tiff tiff(structure);
  const auto directory = tiff.number(4, 4);
  if (tiff.number(2, 2) != 42U || !directory) return std::nullopt;
  const auto number = find_short(tiff, *directory, kOrientation, 1);
  if (!number || *number > 8) return std::nullopt;
  if (*number == 0) return Orientation{};  // cameras write 0 for "unknown"
  return kOrientations[*number - 1];
}

Size oriented(Size size, Orientation orientation) noexcept {
  return orientation.exchanged ? Size{size.height, size.width} : size;
}

StoredPart stored_part(PixelRange rows, PixelRange columns, Size upright, Orientation orientation) noexcept {
  if (orientation.mirrored_x) columns = mirrored(columns, upright.width);
  if (orientation.mirrored_y) rows = mirrored(rows, upright.height);
  if (orientation.exchanged) std::swap(rows, columns);
  return {rows, columns};
}

void turn_upright(ImageView stored, Orientation orientation, MutableImageView out) noexcept {
  for (int y = 0; y < out.size.height; ++y) {
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < out.size.width; ++x, to += kChannels) {
      int from_x = orientation.mirrored_x ? out.size.width - 1 - x : x;
      int from_y = orientation.mirrored_y ? out.size.height - 1 - y : y;
      if (orientation.exchanged) std::swap(from_x, from_y);
      std::copy_n(stored.pixel(from_x, from_y), kChannels, to);
    }
  }
}

}  // namespace leat::detail
