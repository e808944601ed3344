// Normalization of pixels on the CPU.
#pragma once

#include <cstdint>

#include "leat/transfer/normalize.h"

namespace leat::detail {

// Implements Device::normalize() for host memory, on the calling thread. `to` holds shape.count() elements of
// how.dtype and must not overlap `from`. A u8 has 256 values, so the formula of normalize.h is evaluated once for
// each value and channel, and pixels are looked up in that table.
void normalize_on_host(void* to, const std::uint8_t* from, const std::uint8_t* flipped_rows,
                       const PixelShape& shape, const Normalization& how) noexcept;

}  // namespace leat::detail
