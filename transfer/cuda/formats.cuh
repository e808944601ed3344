// The floating-point formats of kernels that compute in f32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace leat::detail::cuda {

// Element is the stored type of one value, Pack is 16 bytes of them, Load is kPack bytes of pixels. round_or_nan()
// gives one and the same NaN, whatever NaN was computed: operations must store the same bits on every device.
struct F32 {
  using Element = float;
  using Pack = float4;
  using Load = unsigned;
  static constexpr int kPack = 4;
  static __device__ Element round(float value) { return value; }
  static __device__ float widen(Element value) { return value; }
  static __device__ Element round_or_nan(float value) {
    return value == value ? value : __uint_as_float(0x7fc00000u);
  }
  static __device__ float4 pack(const float (&v)[kPack]) { return make_float4(v[0], v[1], v[2], v[3]); }
};

struct F16 {
  using Element = __half;
  using Pack = uint4;
  using Load = uint2;
  static constexpr int kPack = 8;
  static __device__ Element round(float value) { return __float2half_rn(value); }
  static __device__ float widen(Element value) { return __half2float(value); }
  static __device__ Element round_or_nan(float value) {
    return value == value ? round(value) : __ushort_as_half(0x7e00);
  }
  static __device__ unsigned pair(float a, float b) {
    return __half_as_ushort(round(a)) | static_cast<unsigned>(__half_as_ushort(round(b))) << 16;
  }
  static __device__ uint4 pack(const float (&v)[kPack]) {
    return make_uint4(pair(v[0], v[1]), pair(v[2], v[3]), pair(v[4], v[5]), pair(v[6], v[7]));
  }
};

struct BF16 {
  using Element = __nv_bfloat16;
  using Pack = uint4;
  using Load = uint2;
  static constexpr int kPack = 8;
  static __device__ Element round(float value) { return __float2bfloat16_rn(value); }
  static __device__ float widen(Element value) { return __bfloat162float(value); }
  static __device__ Element round_or_nan(float value) {
    return value == value ? round(value) : __ushort_as_bfloat16(0x7fc0);
  }
  static __device__ unsigned pair(float a, float b) {
    return __bfloat16_as_ushort(round(a)) | static_cast<unsigned>(__bfloat16_as_ushort(round(b))) << 16;
  }
  static __device__ uint4 pack(const float (&v)[kPack]) {
    return make_uint4(pair(v[0], v[1]), pair(v[2], v[3]), pair(v[4], v[5]), pair(v[6], v[7]));
  }
};

}  // namespace leat::detail::cuda
