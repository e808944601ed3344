// Fingerprints of samplers: lines of text that differ if the orders do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace leat::detail {

/// 16 hexadecimal digits: the XXH3 of the values' bytes. Made to notice changes, not to withstand somebody who looks
/// for a collision.
std::string digest_of(std::span<const std::uint64_t> values);
std::string digest_of(std::span<const double> values);

/// The i-th of `count` positions that are spread evenly over [0, size), its ends included. count is in [1, size].
inline std::size_t spread_position(std::size_t i, std::size_t count, std::size_t size) {
  return count == 1 ? 0 : i * (size - 1) / (count - 1);
}

}  // namespace leat::detail
