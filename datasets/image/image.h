// Images in host memory: 8-bit RGB, interleaved, row by row (HWC).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/datasets/image_size.h"

namespace leat::detail {

struct Box {  // in pixels
  int left = 0;
  int top = 0;
  Size size;
};

// Paints `pixels` pixels, starting at `to`. Paints nothing if `pixels` is 0 or less.
void fill_run(std::uint8_t* to, int pixels, Rgb color) noexcept;

// View of pixels owned elsewhere. Rows are `stride` bytes apart.
template <class Byte>
struct BasicImageView {
  Byte* data = nullptr;
  Size size;
  std::ptrdiff_t stride = 0;

  Byte* row(int y) const noexcept { return data + y * stride; }
  Byte* pixel(int x, int y) const noexcept { return row(y) + std::ptrdiff_t{x} * kChannels; }
  std::size_t row_bytes() const noexcept { return static_cast<std::size_t>(size.width) * kChannels; }

  operator BasicImageView<const Byte>() const noexcept { return {data, size, stride}; }
};

using ImageView = BasicImageView<const std::uint8_t>;
using MutableImageView = BasicImageView<std::uint8_t>;

// Image that owns its pixels. resize() keeps the allocated memory, so that one Image can be reused for many images.
// Memory of 32 MiB or more is freed if a quarter of it would suffice.
class Image {
 public:
  Image() = default;
  explicit Image(Size size) { resize(size); }

  // Sets the size. The pixels are unspecified afterwards. Throws ArgumentError on a negative extent.
  void resize(Size size);

  Size size() const noexcept { return size_; }
  MutableImageView view() noexcept { return {pixels_.data(), size_, stride()}; }
  ImageView view() const noexcept { return {pixels_.data(), size_, stride()}; }

 private:
  std::ptrdiff_t stride() const noexcept { return std::ptrdiff_t{size_.width} * kChannels; }

  Size size_;
  std::vector<std::uint8_t> pixels_;
};

// A part of a larger image. Its first pixel is pixel (left, top) of the whole image.
struct ImageTile {
  ImageView pixels;
  int left = 0;
  int top = 0;
};

}  // namespace leat::detail
