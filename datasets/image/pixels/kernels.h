// The inner loops over images' bytes, compiled for several instruction sets; the best that the machine has is taken
// at run time, and all of them make the same bytes. Counts are in bytes; nothing behind them is read or written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail::kernels {

// What all blends do to a byte: plain + factor * (byte - plain) in float, clamped to [0, 255] and truncated.

void blend_with_constant(std::uint8_t* bytes, std::size_t count, std::uint8_t plain, float factor);
void blend_with_gray(std::uint8_t* rgb, std::size_t count, float factor);

// Three rows of an image, one below the other.
struct ThreeRows {
  const std::uint8_t* above;
  const std::uint8_t* here;
  const std::uint8_t* below;
};

// Writes all but the first and the last of a row's pixels, blended with smoothed ones. `out` is none of the rows.
// There are at least three pixels.
void sharpen_row(const ThreeRows& rows, std::uint8_t* out, std::size_t count, float factor);

void make_gray(std::uint8_t* rgb, std::size_t count);
std::uint64_t sum_of_grays(const std::uint8_t* rgb, std::size_t count);

// To 8-bit HSV, there `shift` further, modulo 256, and back.
void turn_hues(std::uint8_t* rgb, std::size_t count, std::uint8_t shift);

void mask_bytes(std::uint8_t* bytes, std::size_t count, std::uint8_t mask);
void invert_bytes_from(std::uint8_t* bytes, std::size_t count, std::uint8_t threshold);

}  // namespace leat::detail::kernels
