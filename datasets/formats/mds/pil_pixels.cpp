#include "leat/datasets/formats/mds/pil_pixels.h"

#include <fmt/format.h>

#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

void add_pil_pixels(std::string_view name, ByteReader reader, StoredSample& sample) {
  constexpr std::uint32_t kMaxExtent = 1U << 20;  // pixels along one edge
  constexpr std::uint32_t kMaxMode = 16;          // characters; Pillow's longest mode has six
  const auto width = reader.little<std::uint32_t>(), height = reader.little<std::uint32_t>();
  if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
    reader.fail(
        fmt::format("an image of {} x {} pixels; 1 to {} each way are read", width, height, kMaxExtent));
  }
  const auto mode_length = reader.little<std::uint32_t>();
  if (mode_length > kMaxMode) reader.fail(fmt::format("the mode's name has {} characters", mode_length));
  const std::string_view mode = reader.text(mode_length);
  if (mode != "L" && mode != "RGB") {
    reader.fail(fmt::format("pixels of the mode '{}'; L and RGB are read", mode));
  }
  const std::size_t channels = mode == "L" ? 1 : 3;
  const std::uint64_t bytes = std::uint64_t{width} * height * channels;
  if (bytes != reader.remaining()) {
    reader.fail(fmt::format("{} x {} pixels of the mode {} are {} bytes, but there are {}", width, height,
                            mode, bytes, reader.remaining()));
  }
  append_bytes(sample.add(name, Encoding::pixels_of(height, width, channels)).memory(), reader.take(bytes));
}

}  // namespace leat::detail
