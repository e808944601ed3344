// Fingerprints of samplers: lines of text that differ if the orders do.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace leat {

/// 16 hexadecimal digits. Equal for equal values in equal order, on every machine; made to notice changes, not to
/// withstand somebody who looks for a collision.
std::string digest_of(std::span<const std::uint64_t> values);
std::string digest_of(std::span<const double> values);

}  // namespace leat
