#include "datasets/image/image.h"

#include <fmt/format.h>

#include "loader/base/checked.h"
#include "loader/base/errors.h"

namespace leat {

std::string to_string(const Size& size) {
  return fmt::format("{} x {}", size.width, size.height);
}

namespace {

constexpr std::size_t kMuch = std::size_t{32} << 20;

}  // namespace

void Image::resize(Size size) {
  if (size.width < 0 || size.height < 0) throw ArgumentError("an image cannot be " + to_string(size));
  const std::size_t row = checked_multiply(static_cast<std::size_t>(size.width), kChannels);
  const std::size_t bytes = checked_multiply(row, static_cast<std::size_t>(size.height));
  if (pixels_.capacity() > kMuch && bytes < pixels_.capacity() / 4) pixels_ = {};
  pixels_.resize(bytes);
  size_ = size;
}

}  // namespace leat
