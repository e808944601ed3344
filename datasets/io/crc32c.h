// CRC-32C (Castagnoli), computed with the processor's instruction if it has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leat::detail {

// Computes the CRC of RFC 3720, appendix B.4: crc32c of "123456789" is 0xe3069283.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

}  // namespace leat::detail
