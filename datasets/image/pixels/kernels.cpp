#include "leat/datasets/image/pixels/kernels.h"

// Highway includes the loops again for each instruction set, and once more below for the baseline that all machines
// have.
#define HWY_TARGET_INCLUDE "leat/datasets/image/pixels/kernels-inl.h"
#include <hwy/foreach_target.h>

#include "leat/datasets/image/pixels/kernels-inl.h"

namespace leat::detail::kernels {

HWY_EXPORT(BlendWithConstant);
HWY_EXPORT(BlendWithGray);
HWY_EXPORT(SharpenRow);
HWY_EXPORT(MakeGray);
HWY_EXPORT(SumOfGrays);
HWY_EXPORT(TurnHues);
HWY_EXPORT(MaskBytes);
HWY_EXPORT(InvertBytesFrom);

void blend_with_constant(std::uint8_t* bytes, std::size_t count, std::uint8_t plain, float factor) {
  HWY_DYNAMIC_DISPATCH(BlendWithConstant)(bytes, count, plain, factor);
}

void blend_with_gray(std::uint8_t* rgb, std::size_t count, float factor) {
  HWY_DYNAMIC_DISPATCH(BlendWithGray)(rgb, count, factor);
}

void sharpen_row(const ThreeRows& rows, std::uint8_t* out, std::size_t count, float factor) {
  HWY_DYNAMIC_DISPATCH(SharpenRow)(rows, out, count, factor);
}

void make_gray(std::uint8_t* rgb, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(MakeGray)(rgb, count);
}

std::uint64_t sum_of_grays(const std::uint8_t* rgb, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(SumOfGrays)(rgb, count);
}

void turn_hues(std::uint8_t* rgb, std::size_t count, std::uint8_t shift) {
  HWY_DYNAMIC_DISPATCH(TurnHues)(rgb, count, shift);
}

void mask_bytes(std::uint8_t* bytes, std::size_t count, std::uint8_t mask) {
  HWY_DYNAMIC_DISPATCH(MaskBytes)(bytes, count, mask);
}

void invert_bytes_from(std::uint8_t* bytes, std::size_t count, std::uint8_t threshold) {
  HWY_DYNAMIC_DISPATCH(InvertBytesFrom)(bytes, count, threshold);
}

}  // namespace leat::detail::kernels
