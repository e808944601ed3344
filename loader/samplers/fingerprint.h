// Helpers for the fingerprints of samplers, which are lines of text that differ if the orders differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace leat::detail {

/// Returns the XXH3 hash of the values' bytes as 16 hexadecimal digits. It detects changes; it is not secure against
/// a deliberate collision.
std::string digest_of(std::span<const std::uint64_t> values);
std::string digest_of(std::span<const double> values);

/// Returns the i-th of `count` positions that are spread evenly over [0, size), including its first and last position
/// (only the first one if count is 1). count must be in [1, size].
inline std::size_t spread_position(std::size_t i, std::size_t count, std::size_t size) {
  return count == 1 ? 0 : i * (size - 1) / (count - 1);
}

}  // namespace leat::detail
