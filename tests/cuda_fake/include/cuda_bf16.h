// bfloat16, as far as leat's kernels use it.
#pragma once

#include <bit>

#include <cuda_runtime.h>
#include "leat/datasets/dtype.h"

struct __nv_bfloat16 {
  unsigned short bits;
};

inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  return {std::bit_cast<unsigned short>(leat::to_bfloat16(value))};
}
inline float __bfloat162float(__nv_bfloat16 value) {
  return leat::to_float(std::bit_cast<leat::BFloat16>(value.bits));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return {bits};
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return value.bits;
}
