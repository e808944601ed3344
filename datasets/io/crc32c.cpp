#include "leat/datasets/io/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace leat::detail {

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // ISA-L takes an int
  std::uint32_t crc = 0xffffffff;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMost));
    // ISA-L only reads the data, though its parameter is not const.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes = bytes.subspan(part.size());
  }
  return ~crc;
}

}  // namespace leat::detail
