// The 16-bit floating-point numbers of IEEE 754, as far as leat's kernels use them.
#pragma once

#include <bit>

#include <cuda_runtime.h>
#include "leat/datasets/dtype.h"

struct __half {
  unsigned short bits;
};

inline __half __float2half_rn(float value) {
  return {std::bit_cast<unsigned short>(leat::to_half(value))};
}
inline float __half2float(__half value) {
  return leat::to_float(std::bit_cast<leat::Half>(value.bits));
}
inline __half __ushort_as_half(unsigned short bits) {
  return {bits};
}
inline unsigned short __half_as_ushort(__half value) {
  return value.bits;
}
