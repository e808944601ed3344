#include "leat/datasets/image/resample/resample_kernels.h"

// Highway includes the loops again for each instruction set, and once more below for the baseline that all machines
// have.
#define HWY_TARGET_INCLUDE "leat/datasets/image/resample/resample_kernels-inl.h"
#include <hwy/foreach_target.h>

#include "leat/datasets/image/resample/resample_kernels-inl.h"

namespace leat::detail {

HWY_EXPORT(WeighRow);
HWY_EXPORT(BlendRows);
HWY_EXPORT(ScaleRow);

void weigh_row(const std::uint8_t* row, const RowWeights& weights, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(WeighRow)(row, weights, out);
}

void blend_rows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                std::uint8_t* out, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(BlendRows)(rows, weights, count, out, bytes);
}

void scale_row(const std::uint8_t* rgb, std::size_t pixels, const ChannelScale& how,
               const std::array<float*, 3>& planes) {
  HWY_DYNAMIC_DISPATCH(ScaleRow)(rgb, pixels, how, planes);
}

}  // namespace leat::detail
