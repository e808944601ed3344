#include "leat/datasets/image/pixels/grayscale.h"

#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/pixels/rows.h"

namespace leat::detail {

void to_grayscale(MutableImageView pixels) {
  for_each_run(pixels, kernels::make_gray);
}

}  // namespace leat::detail
