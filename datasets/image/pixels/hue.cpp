#include "leat/datasets/image/pixels/hue.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/pixels/rows.h"

namespace leat::detail {

void adjust_hue(MutableImageView pixels, double shift) {
  if (!(shift >= -0.5 && shift <= 0.5)) {
    throw ArgumentError(fmt::format("hues can be moved by -0.5 to 0.5 turns, not by {}", shift));
  }
  const auto moved = static_cast<std::uint8_t>(static_cast<int>(shift * 255));  // modulo 256
  for_each_run(pixels, [&](std::uint8_t* rgb, std::size_t count) { kernels::turn_hues(rgb, count, moved); });
}

}  // namespace leat::detail
