#include "leat/transfer/cuda/normalize_kernel.h"

#include <algorithm>
#include <cstddef>

#include "leat/transfer/cuda/formats.cuh"
#include "leat/transfer/cuda/grid.cuh"
#include "leat/transfer/cuda/launch.h"

// The kernels are bound by memory bandwidth, so a warp's accesses must be coalesced and wide. A thread computes 16
// bytes of each plane it writes (kPack elements) and writes them in one store. Sizes and addresses that do not allow
// this use the plain kernel. It gives the same bits: every value is one __fmaf_rn and one rounding.
namespace leat::detail::cuda {
namespace {

constexpr std::size_t kMaxGridY = 65535;

struct Channels {
  float scale[4];
  float bias[4];
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

// Converts kPack pixels, whose bytes are `loads`, and writes them to pixel `first` of an image. If kMirror, the last
// pixel comes first.
template <class Format, int kChannels, bool kPlanar, bool kMirror>
__device__ void convert(typename Format::Element* image, const typename Format::Load (&loads)[kChannels],
                        std::size_t first, std::size_t pixels, const Channels& how) {
  constexpr int kPack = Format::kPack;
#pragma unroll
  for (int store = 0; store < kChannels; ++store) {
    float values[kPack];
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const int at = kPlanar ? i : (store * kPack + i) / kChannels;
      const int c = kPlanar ? store : (store * kPack + i) % kChannels;
      const int source = kMirror ? kPack - 1 - at : at;
      values[i] = __fmaf_rn(pixel(loads, source * kChannels + c), how.scale[c], how.bias[c]);
    }
    const std::size_t to = kPlanar ? store * pixels + first : first * kChannels + store * kPack;
    *reinterpret_cast<typename Format::Pack*>(image + to) = Format::pack(values);
  }
}

// NHWC to NCHW, or to NHWC with some images mirrored. Each thread handles kPack pixels, by as many loads and stores as
// there are channels. The grid's x dimension covers an image, its y dimension the images. `pixels` is the number of
// pixels per image, a multiple of kPack; so is `width` if images are mirrored.
template <class Format, int kChannels, bool kPlanar>
__global__ void __launch_bounds__(kThreads)
    whole_pixels(typename Format::Element* __restrict__ to, const std::uint8_t* __restrict__ from,
                 const std::uint8_t* __restrict__ flipped_rows, std::size_t images, std::size_t width,
                 std::size_t pixels, const Channels how) {
  using Load = typename Format::Load;
  constexpr int kPack = Format::kPack;
  const std::size_t first = (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * kPack;
  if (first >= pixels) return;
  for (std::size_t image = blockIdx.y; image < images; image += gridDim.y) {
    const std::size_t start = image * pixels * kChannels;
    const bool is_flipped = flipped_rows != nullptr && flipped_rows[image] != 0;
    const std::size_t read = is_flipped ? first + width - kPack - 2 * (first % width) : first;
    const auto* source = reinterpret_cast<const Load*>(from + start + read * kChannels);
    Load loads[kChannels];
#pragma unroll
    for (int i = 0; i < kChannels; ++i) loads[i] = source[i];
    if (is_flipped) {
      convert<Format, kChannels, kPlanar, true>(to + start, loads, first, pixels, how);
    } else {
      convert<Format, kChannels, kPlanar, false>(to + start, loads, first, pixels, how);
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
  *reinterpret_cast<typename Format::Pack*>(to + first) = Format::pack(values);
}

// Any size, address, layout and number of channels, one pixel per thread. Element c of pixel i of an image is written
// to index i * pixel_step + c * channel_step of that image.
template <class Format>
__global__ void __launch_bounds__(kThreads)
    plain(typename Format::Element* __restrict__ to, const std::uint8_t* __restrict__ from,
          const std::uint8_t* __restrict__ flipped_rows, std::size_t images, std::size_t width,
          std::size_t pixels, int channels, std::size_t pixel_step, std::size_t channel_step,
          const Channels how) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= pixels) return;
  for (std::size_t image = blockIdx.y; image < images; image += gridDim.y) {
    const std::size_t start = image * pixels * channels;
    const bool is_flipped = flipped_rows != nullptr && flipped_rows[image] != 0;
    const std::size_t read = is_flipped ? i + width - 1 - 2 * (i % width) : i;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (c >= channels) break;
      const float value = static_cast<float>(from[start + read * channels + c]);
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

struct Images {
  const std::uint8_t* from;
  const std::uint8_t* flipped_rows;
  PixelShape shape;
};

template <class Format, int kChannels, bool kPlanar>
cudaError_t launch_whole_pixels(typename Format::Element* to, const Images& images, const Channels& channels,
                                cudaStream_t stream) {
  const PixelShape& shape = images.shape;
  const std::size_t pixels = shape.h * shape.w;
  return launch_kernel(whole_pixels<Format, kChannels, kPlanar>, grid(pixels / Format::kPack, shape.n),
                       kThreads, stream, to, images.from, images.flipped_rows, shape.n, shape.w, pixels,
                       channels);
}

template <class Format, bool kPlanar>
cudaError_t launch_by_channels(typename Format::Element* to, const Images& images, const Channels& channels,
                               cudaStream_t stream) {
  switch (images.shape.c) {
    case 1:  // planar images of one channel are interleaved ones
      return launch_whole_pixels<Format, 1, false>(to, images, channels, stream);
    case 2:
      return launch_whole_pixels<Format, 2, kPlanar>(to, images, channels, stream);
    case 3:
      return launch_whole_pixels<Format, 3, kPlanar>(to, images, channels, stream);
    default:
      return launch_whole_pixels<Format, 4, kPlanar>(to, images, channels, stream);
  }
}

template <class Format>
cudaError_t launch(void* memory, const Images& images, const Normalization& how, cudaStream_t stream) {
  auto* const to = static_cast<typename Format::Element*>(memory);
  const PixelShape& shape = images.shape;
  const Channels channels = channels_of(how);
  const std::size_t pixels = shape.h * shape.w;  // per image
  const bool planar = how.layout == PixelLayout::nchw && shape.c != 1;
  const bool flips = images.flipped_rows != nullptr;
  const bool wide = is_aligned(to, 16) && is_aligned(images.from, sizeof(typename Format::Load));
  if (wide && !planar && !flips && shape.count() % Format::kPack == 0)
    return launch_interleaved<Format>(to, images.from, shape, channels, stream);
  if (wide && (planar || flips) && (flips ? shape.w : pixels) % Format::kPack == 0) {
    return planar ? launch_by_channels<Format, true>(to, images, channels, stream)
                  : launch_by_channels<Format, false>(to, images, channels, stream);
  }
  return launch_kernel(plain<Format>, grid(pixels, shape.n), kThreads, stream, to, images.from,
                       images.flipped_rows, shape.n, shape.w, pixels, static_cast<int>(shape.c),
                       planar ? 1 : shape.c, planar ? pixels : 1, channels);
}

}  // namespace

cudaError_t launch_normalize(void* to, const std::uint8_t* from, const std::uint8_t* flipped_rows,
                             const PixelShape& shape, const Normalization& how, cudaStream_t stream) {
  if (shape.count() == 0) return cudaSuccess;
  const Images images{from, flipped_rows, shape};
  switch (how.dtype) {
    case DType::f16:
      return launch<F16>(to, images, how, stream);
    case DType::bf16:
      return launch<BF16>(to, images, how, stream);
    default:
      return launch<F32>(to, images, how, stream);
  }
}

}  // namespace leat::detail::cuda
