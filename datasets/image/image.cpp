#include "leat/datasets/image/image.h"

#include <algorithm>
#include <cstring>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/image/scratch.h"

namespace leat::detail {

void fill_run(std::uint8_t* to, int pixels, Rgb color) noexcept {
  if (pixels <= 0) return;
  const std::uint8_t pixel[] = {color.red, color.green, color.blue};
  const std::size_t bytes = static_cast<std::size_t>(pixels) * kChannels;
  std::memcpy(to, pixel, kChannels);
  for (std::size_t done = kChannels; done < bytes; done *= 2)  // copies the painted part behind itself
    std::memcpy(to + done, to, std::min(done, bytes - done));
}

void Image::resize(Size size) {
  if (size.width < 0 || size.height < 0) throw ArgumentError("an image cannot be " + to_string(size));
  const std::size_t row = checked_multiply(static_cast<std::size_t>(size.width), kChannels);
  const std::size_t bytes = checked_multiply(row, static_cast<std::size_t>(size.height));
  reserve_scratch(pixels_, bytes);
  size_ = size;
}

}  // namespace leat::detail
