#include "leat/transfer/host/host_normalize.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace leat::detail {
namespace {

template <class T>
T rounded(float value) noexcept;
template <>
float rounded<float>(float value) noexcept {
  return value;
}
template <>
Half rounded<Half>(float value) noexcept {
  return to_half(value);
}
template <>
BFloat16 rounded<BFloat16>(float value) noexcept {
  return to_bfloat16(value);
}

template <class T>
using Tables = std::array<std::array<T, 256>, 4>;  // [channel][pixel]

template <class T>
Tables<T> make_tables(const Normalization& how, std::size_t channels) noexcept {
  const auto scale = how.scale();
  const auto bias = how.bias();
  Tables<T> tables;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t pixel = 0; pixel < 256; ++pixel) {
      tables[c][pixel] = rounded<T>(std::fma(static_cast<float>(pixel), scale[c], bias[c]));
    }
  }
  return tables;
}

template <class T, std::size_t kChannels>
void interleaved(T* to, const std::uint8_t* from, std::size_t pixels, const Tables<T>& tables) noexcept {
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) to[i * kChannels + c] = tables[c][from[i * kChannels + c]];
  }
}

// Converts one image of `pixels` pixels to kChannels planes.
template <class T, std::size_t kChannels>
void planar(T* to, const std::uint8_t* from, std::size_t pixels, const Tables<T>& tables) noexcept {
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) to[c * pixels + i] = tables[c][from[i * kChannels + c]];
  }
}

// Converts one image, mirrored left to right. Channel c of pixel i is written to i * pixel_step + c * channel_step.
template <class T, std::size_t kChannels>
void mirrored(T* to, const std::uint8_t* from, const PixelShape& shape, std::size_t pixel_step,
              std::size_t channel_step, const Tables<T>& tables) noexcept {
  for (std::size_t y = 0; y < shape.h; ++y) {
    T* const out = to + y * shape.w * pixel_step;
    const std::uint8_t* const end = from + (y + 1) * shape.w * kChannels;
    for (std::size_t x = 0; x < shape.w; ++x) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        out[x * pixel_step + c * channel_step] = tables[c][*(end - (x + 1) * kChannels + c)];
      }
    }
  }
}

template <class T, std::size_t kChannels>
void normalize(T* to, const std::uint8_t* from, const std::uint8_t* flipped_rows, const PixelShape& shape,
               const Normalization& how) noexcept {
  const Tables<T> tables = make_tables<T>(how, kChannels);
  const std::size_t pixels = shape.h * shape.w;
  const bool is_planar = how.layout == PixelLayout::nchw;
  for (std::size_t n = 0; n < shape.n; ++n) {
    const std::size_t start = n * pixels * kChannels;
    if (flipped_rows != nullptr && flipped_rows[n] != 0) {
      mirrored<T, kChannels>(to + start, from + start, shape, is_planar ? 1 : kChannels,
                             is_planar ? pixels : 1, tables);
    } else if (is_planar) {
      planar<T, kChannels>(to + start, from + start, pixels, tables);
    } else {
      interleaved<T, kChannels>(to + start, from + start, pixels, tables);
    }
  }
}

template <class T>
void normalize_as(void* to, const std::uint8_t* from, const std::uint8_t* flipped_rows,
                  const PixelShape& shape, const Normalization& how) noexcept {
  T* const out = static_cast<T*>(to);
  switch (shape.c) {
    case 1:
      return normalize<T, 1>(out, from, flipped_rows, shape, how);
    case 2:
      return normalize<T, 2>(out, from, flipped_rows, shape, how);
    case 3:
      return normalize<T, 3>(out, from, flipped_rows, shape, how);
    default:
      return normalize<T, 4>(out, from, flipped_rows, shape, how);
  }
}

}  // namespace

void normalize_on_host(void* to, const std::uint8_t* from, const std::uint8_t* flipped_rows,
                       const PixelShape& shape, const Normalization& how) noexcept {
  switch (how.dtype) {
    case DType::f16:
      return normalize_as<Half>(to, from, flipped_rows, shape, how);
    case DType::bf16:
      return normalize_as<BFloat16>(to, from, flipped_rows, shape, how);
    default:
      return normalize_as<float>(to, from, flipped_rows, shape, how);
  }
}

}  // namespace leat::detail
