// Conversion of CMYK pixels to RGB.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail {

// Converts `pixels` pixels from C, M, Y, K to R, G, B. All four input values are inverted (255 is no ink), as Adobe
// writes them into JPEGs. The formula is R = K - (255 - C) K / 255 with each product rounded to nearest, as in
// Pillow's cmyk2rgb (src/libImaging/Convert.c).
void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t pixels) noexcept;

}  // namespace leat::detail
