// Iteration over an image's rows, for operations that do not depend on where a row ends.
#pragma once

#include "leat/datasets/image/image.h"

namespace leat::detail {

// Calls body(first byte, number of bytes) for each row, or only once for all rows if there are no gaps between them.
template <class Byte, class Body>
void for_each_run(BasicImageView<Byte> pixels, const Body& body) {
  const auto height = static_cast<std::size_t>(pixels.size.height);
  if (pixels.stride == static_cast<std::ptrdiff_t>(pixels.row_bytes()))
    return body(pixels.data, pixels.row_bytes() * height);
  for (int y = 0; y < pixels.size.height; ++y) body(pixels.row(y), pixels.row_bytes());
}

}  // namespace leat::detail
