// One header block of a tar archive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace leat::detail {

struct TarHeader {
  std::string name;  // with ustar's prefix
  std::uint64_t size = 0;
  char type = '0';

  bool is_regular() const noexcept { return type == '0' || type == '\0' || type == '7'; }
};

bool is_zero(std::span<const std::byte, 512> block) noexcept;

// Returns null if the block is valid. Otherwise returns what is wrong with it, and `header` is unspecified.
const char* parse_tar_header(std::span<const std::byte, 512> block, TarHeader& header);

}  // namespace leat::detail
