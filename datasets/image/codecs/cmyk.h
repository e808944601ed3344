// Four-component pixels to RGB.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail {

// `pixels` of C, M, Y, K become R, G, B. All four are inverted (255 is no ink), as Adobe writes them into
// JPEGs: R = K - (255 - C) K / 255, each product rounded to nearest: Pillow's cmyk2rgb
// (src/libImaging/Convert.c).
void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, std::size_t pixels) noexcept;

}  // namespace leat::detail
