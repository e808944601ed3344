// SHA-256 of FIPS 180-4, and HMAC-SHA256 of RFC 2104. No library that leat links has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leat::detail {

inline constexpr std::size_t kSha256Bytes = 32;

// Return kSha256Bytes bytes.
std::string sha256(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view message);

// Compares in a time that depends on the lengths alone, so that a forger cannot find a code byte by byte.
bool equal_codes(std::string_view a, std::string_view b) noexcept;

std::string hex(std::string_view bytes);

}  // namespace leat::detail
