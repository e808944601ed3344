#include "datasets/image/pixels/grayscale.h"

namespace leat {

void to_grayscale(MutableImageView pixels) {
  for (int y = 0; y < pixels.size.height; ++y) {
    for (int x = 0; x < pixels.size.width; ++x) {
      std::uint8_t* pixel = pixels.pixel(x, y);
      pixel[0] = pixel[1] = pixel[2] = gray_of(pixel);
    }
  }
}

}  // namespace leat
