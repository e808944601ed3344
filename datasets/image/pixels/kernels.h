// Inner loops over the bytes of images, compiled for several instruction sets. The best one that the machine supports
// is chosen at run time; all of them give the same bytes. Counts are in bytes. Nothing beyond them is read or
// written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::detail::kernels {

// All blends compute plain + factor * (byte - plain) in float, clamp it to [0, 255] and truncate it.

void blend_with_constant(std::uint8_t* bytes, std::size_t count, std::uint8_t plain, float factor);
void blend_with_gray(std::uint8_t* rgb, std::size_t count, float factor);

// Three adjacent rows of an image.
struct ThreeRows {
  const std::uint8_t* above;
  const std::uint8_t* here;
  const std::uint8_t* below;
};

// Blends a row's pixels with smoothed ones and writes all but the first and the last pixel. `out` must not be one of
// the rows. A row must have at least three pixels.
void sharpen_row(const ThreeRows& rows, std::uint8_t* out, std::size_t count, float factor);

void make_gray(std::uint8_t* rgb, std::size_t count);
std::uint64_t sum_of_grays(const std::uint8_t* rgb, std::size_t count);

// Converts to 8-bit HSV, adds `shift` to the hue modulo 256, and converts back.
void turn_hues(std::uint8_t* rgb, std::size_t count, std::uint8_t shift);

void mask_bytes(std::uint8_t* bytes, std::size_t count, std::uint8_t mask);
void invert_bytes_from(std::uint8_t* bytes, std::size_t count, std::uint8_t threshold);

}  // namespace leat::detail::kernels
