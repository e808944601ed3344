#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>

#include "leat/transfer/cuda/launch.h"
#include "leat/transfer/cuda/normalize_kernel.h"

// The kernels are bound by memory bandwidth, so a warp's accesses must be coalesced and wide. A thread computes 16
// bytes of each plane it writes (kPack elements) and writes them in one store. Sizes and addresses that do not allow
// this use the plain kernel. It gives the same bits: every value is one __fmaf_rn and one rounding.
namespace leat::detail::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMaxGridY = 65535;

struct Channels {
  float scale[4];
  float bias[4];
};

// Output formats. Element is the stored type of one value, Pack is 16 bytes of them, Load is kPack bytes of pixels.
struct F32 {
  using Element = float;
  using Load = unsigned;
  static constexpr int kPack = 4;
  static __device__ Element round(float value) { return value; }
  static __device__ float4 pack(const float (&v)[kPack]) { return make_float4(v[0], v[1], v[2], v[3]); }
};

struct F16 {
  using Element = __half;
  using Load = uint2;
  static constexpr int kPack = 8;
  static __device__ Element round(float value) { return __float2half_rn(value); }
  static __device__ unsigned pair(float a, float b) {
    return __half_as_ushort(round(a)) | static_cast<unsigned>(__half_as_ushort(round(b))) << 16;
  }
  static __device__ uint4 pack(const float (&v)[kPack]) {
    return make_uint4(pair(v[0], v[1]), pair(v[2], v[3]), pair(v[4], v[5]), pair(v[6], v[7]));
  }
};

struct BF16 {
  using Element = __nv_bfloat16;
  using Load = uint2;
  static constexpr int kPack = 8;
  static __device__ Element round(float value) { return __float2bfloat16_rn(value); }
  static __device__ unsigned pair(float a, float b) {
    return __bfloat16_as_ushort(round(a)) | static_cast<unsigned>(__bfloat16_as_ushort(round(b))) << 16;
  }
  static __device__ uint4 pack(const float (&v)[kPack]) {
    return make_uint4(pair(v[0], v[1]), pair(v[2], v[3]), pair(v[4], v[5]), pair(v[6], v[7]));
  }
};

__device__ unsigned word(unsigned load, int) {
  return load;
}
__device__ unsigned word(uint2 load, int i) {
  return i == 0 ? load.x : load.y;
}

// Returns byte i of consecutive loads, as a float.
template <class Load>
__device__ float pixel(const Load* loads, int i) {
  constexpr int kBytes = static_cast<int>(sizeof(Load));
  return static_cast<float>(word(loads[i / kBytes], i % kBytes / 4) >> (8 * (i % 4)) & 0xffu);
}

// NHWC with three channels to NCHW. Each thread handles kPack pixels: three loads, and one store per plane. The
// grid's x dimension covers an image, its y dimension the images. `pixels` is the number of pixels per image, a
// multiple of kPack.
template <class Format>
__global__ void __launch_bounds__(kThreads)
    planar3(typename Format::Element* __restrict__ to, const std::uint8_t* __restrict__ from,
            std::size_t images, std::size_t pixels, const Channels how) {
  using Load = typename Format::Load;
  constexpr int kPack = Format::kPack;
  const std::size_t first = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * kPack;
  if (first >= pixels) return;
  for (std::size_t image = blockIdx.y; image < images; image += gridDim.y) {
    const std::size_t start = image * pixels * 3;
    const auto* source = reinterpret_cast<const Load*>(from + start + first * 3);
    const Load loads[3] = {source[0], source[1], source[2]};
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      float values[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i)
        values[i] = __fmaf_rn(pixel(loads, i * 3 + c), how.scale[c], how.bias[c]);
      auto packed = Format::pack(values);
      *reinterpret_cast<decltype(packed)*>(to + start + c * pixels + first) = packed;
    }
  }
}

// Returns values[c % kChannels]. For three channels it compares instead of indexing, so that the values stay in
// registers.
template <int kChannels>
__device__ float select(const float (&values)[4], int c) {
  if constexpr (kChannels != 3) return values[c % kChannels];
  const int channel = c % 3;
  return channel == 0 ? values[0] : channel == 1 ? values[1] : values[2];
}

// NHWC to NHWC, kPack elements per thread. `elements` is a multiple of kPack. With three channels, a thread's first
// element may be in any channel, so its constants are chosen with select(), which keeps them in registers. Otherwise
// the first element is always in channel 0.
template <class Format, int kChannels>
__global__ void __launch_bounds__(kThreads)
    interleaved(typename Format::Element* __restrict__ to, const std::uint8_t* __restrict__ from,
                std::size_t elements, const Channels how) {
  constexpr int kPack = Format::kPack;
  const std::size_t first = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * kPack;
  if (first >= elements) return;
  const typename Format::Load load = *reinterpret_cast<const typename Format::Load*>(from + first);
  const int phase = kChannels == 3 ? static_cast<int>(first % 3) : 0;
  float scale[kChannels];
  float bias[kChannels];
#pragma unroll
  for (int j = 0; j < kChannels; ++j) {
    scale[j] = select<kChannels>(how.scale, phase + j);
    bias[j] = select<kChannels>(how.bias, phase + j);
  }
  float values[kPack];
#pragma unroll
  for (int i = 0; i < kPack; ++i)
    values[i] = __fmaf_rn(pixel(&load, i), scale[i % kChannels], bias[i % kChannels]);
  auto packed = Format::pack(values);
  *reinterpret_cast<decltype(packed)*>(to + first) = packed;
}

// Any size, address, layout and number of channels, one pixel per thread. Element c of pixel i of an image is written
// to index i * pixel_step + c * channel_step of that image.
template <class Format>
__global__ void __launch_bounds__(kThreads)
    plain(typename Format::Element* __restrict__ to, const std::uint8_t* __restrict__ from,
          std::size_t images, std::size_t pixels, int channels, std::size_t pixel_step,
          std::size_t channel_step, const Channels how) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= pixels) return;
  for (std::size_t image = blockIdx.y; image < images; image += gridDim.y) {
    const std::size_t start = image * pixels * channels;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (c >= channels) break;
      const float value = static_cast<float>(from[start + i * channels + c]);
      to[start + i * pixel_step + c * channel_step] =
          Format::round(__fmaf_rn(value, how.scale[c], how.bias[c]));
    }
  }
}

dim3 grid(std::size_t threads, std::size_t images) {
  return dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads),
              static_cast<unsigned>(std::min(images, kMaxGridY)));
}

Channels channels_of(const Normalization& how) {
  Channels channels{};
  const auto scale = how.scale();
  const auto bias = how.bias();
  std::copy(scale.begin(), scale.end(), channels.scale);
  std::copy(bias.begin(), bias.end(), channels.bias);
  return channels;
}

bool aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

template <class Format>
cudaError_t launch_interleaved(typename Format::Element* to, const std::uint8_t* from,
                               const PixelShape& shape, const Channels& channels, cudaStream_t stream) {
  const std::size_t count = shape.count();
  const dim3 blocks = grid(count / Format::kPack, 1);
  switch (shape.c) {
    case 1:
      return launch_kernel(interleaved<Format, 1>, blocks, kThreads, stream, to, from, count, channels);
    case 2:
      return launch_kernel(interleaved<Format, 2>, blocks, kThreads, stream, to, from, count, channels);
    case 3:
      return launch_kernel(interleaved<Format, 3>, blocks, kThreads, stream, to, from, count, channels);
    default:
      return launch_kernel(interleaved<Format, 4>, blocks, kThreads, stream, to, from, count, channels);
  }
}

template <class Format>
cudaError_t launch(void* memory, const std::uint8_t* from, const PixelShape& shape, const Normalization& how,
                   cudaStream_t stream) {
  auto* const to = static_cast<typename Format::Element*>(memory);
  const Channels channels = channels_of(how);
  const std::size_t pixels = shape.h * shape.w;  // per image
  const bool planar = how.layout == PixelLayout::nchw && shape.c != 1;
  const bool wide = aligned(to, 16) && aligned(from, sizeof(typename Format::Load));
  if (wide && !planar && shape.count() % Format::kPack == 0)
    return launch_interleaved<Format>(to, from, shape, channels, stream);
  if (wide && planar && shape.c == 3 && pixels % Format::kPack == 0) {
    return launch_kernel(planar3<Format>, grid(pixels / Format::kPack, shape.n), kThreads, stream, to, from,
                         shape.n, pixels, channels);
  }
  return launch_kernel(plain<Format>, grid(pixels, shape.n), kThreads, stream, to, from, shape.n, pixels,
                       static_cast<int>(shape.c), planar ? 1 : shape.c, planar ? pixels : 1, channels);
}

}  // namespace

cudaError_t launch_normalize(void* to, const std::uint8_t* from, const PixelShape& shape,
                             const Normalization& how, cudaStream_t stream) {
  if (shape.count() == 0) return cudaSuccess;
  switch (how.dtype) {
    case DType::f16:
      return launch<F16>(to, from, shape, how, stream);
    case DType::bf16:
      return launch<BF16>(to, from, shape, how, stream);
    default:
      return launch<F32>(to, from, shape, how, stream);
  }
}

}  // namespace leat::detail::cuda
