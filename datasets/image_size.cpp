#include "leat/datasets/image_size.h"

#include <fmt/format.h>

namespace leat {

std::string to_string(const Size& size) {
  return fmt::format("{} x {}", size.width, size.height);
}

}  // namespace leat
