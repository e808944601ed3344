// JPEG files that the encoder does not write, made with libjpeg itself; and how to damage one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "leat/datasets/image/image.h"

namespace leat::test {

using namespace leat::detail;

using Bytes = std::vector<std::byte>;

Bytes gray_jpeg(Size size, std::uint8_t level);
// One color, as the four stored bytes of every pixel; with Adobe's marker, as CMYK or transformed to YCCK.
Bytes cmyk_jpeg(Size size, const std::uint8_t (&stored)[4], bool ycck);
// The four components are red, green, blue and 255 - green.
Bytes cmyk_jpeg(const Image& image, bool ycck);
// The red channel.
Bytes gray_jpeg(const Image& image);
// Factors of the luma plane; the chroma planes have 1 and 1.
struct Sampling {
  int horizontal;
  int vertical;
};
Bytes sampled_jpeg(const Image& image, Sampling sampling);
Bytes arithmetic_jpeg(const Image& image, bool progressive);
// Two components of no known meaning.
Bytes two_component_jpeg(Size size);
// With restart markers, `interval` blocks apart.
Bytes restarting_jpeg(const Image& image, int interval);
Bytes progressive_jpeg(const Image& image);
// Of the blocks' means only.
Bytes coarse_progressive_jpeg(const Image& image);
// Of one plane per scan, that is three scans; `repeats` more copies of the last one.
Bytes many_scan_jpeg(const Image& image, int repeats);

// With Huffman tables made for this image alone.
Bytes optimized_jpeg(const Image& image, int quality);

// The same image without the header segments of these markers, such as 0xdb: its quantization tables.
Bytes without_segments(const Bytes& jpeg, std::initializer_list<int> markers);
// The same image claiming other extents in its header.
Bytes with_size(Bytes jpeg, int width, int height);
// The same image with an EXIF segment that states an orientation, in either byte order.
Bytes with_exif(Bytes jpeg, int orientation, bool little_endian);
// The position of the first marker 0xff `marker` at or behind `from`.
std::size_t find_marker(std::span<const std::byte> jpeg, int marker, std::size_t from = 0);

}  // namespace leat::test
