#include "leat/transfer/host/host_mixing.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "leat/datasets/base/half_math.h"

// Products and sums must not be fused, and the loops are to be vectorized: CMakeLists.txt has this file's options.
namespace leat::detail {
namespace {

// The arithmetic of MixUp, for each type of element. A NaN is always stored with the same bits.
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using detail::widen;
float widen(float value) noexcept {
  return value;
}

template <class T>
T rounded(float value) noexcept;
template <>
inline float rounded<float>(float value) noexcept {
  return value;
}
template <>
inline Half rounded<Half>(float value) noexcept {
  return narrow_to_half(value);
}
template <>
inline BFloat16 rounded<BFloat16>(float value) noexcept {
  return narrow_to_bfloat16(value);
}

struct Weights {
  explicit Weights(double lambda)
      : own(static_cast<float>(lambda)), partner(static_cast<float>(1 - lambda)) {}
  float own;
  float partner;
};

// Returns the partner of a row; `rows` or more if there is none.
std::size_t partner_of(const std::uint32_t* partners, std::size_t row, std::size_t rows) noexcept {
  if (partners != nullptr) return partners[row];
  return row == 0 ? rows - 1 : row - 1;
}

template <class T>
void blend(T* __restrict to, const T* __restrict own, const T* __restrict partner, std::size_t count,
           Weights weights) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float mixed = weights.own * widen(own[i]) + weights.partner * widen(partner[i]);
    to[i] = rounded<T>(mixed == mixed ? mixed : kNan);
  }
}

// Mixes rows of `count` values.
template <class T>
void blend_rows(void* memory, const void* source, const MixOperands& batch, std::size_t count,
                Weights weights) noexcept {
  auto* const to = static_cast<T*>(memory);
  const auto* const from = static_cast<const T*>(source);
  const std::size_t rows = batch.shape.n;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t partner = partner_of(batch.partners, row, rows);
    T* const out = to + row * count;
    if (partner < rows) {
      blend(out, from + row * count, from + partner * count, count, weights);
    } else {
      std::fill_n(out, count, rounded<T>(kNan));
    }
  }
}

void mix_targets(const MixOperands& batch, double lambda) noexcept {
  if (batch.targets == nullptr) return;
  blend_rows<float>(batch.mixed_targets, batch.targets, batch, batch.classes, Weights(lambda));
}

// Copies the images of a batch, with the box from the partners.
template <class T>
void paste_boxes(const CutMix& mix) noexcept {
  const MixOperands& batch = mix.batch;
  const PixelShape& shape = batch.shape;
  const PixelBox& box = mix.box;
  const std::size_t per_image = shape.h * shape.w * shape.c;
  if (shape.n * per_image == 0) return;
  std::memcpy(batch.mixed_images, batch.images, shape.n * per_image * sizeof(T));
  const bool is_planar = batch.layout == PixelLayout::nchw;
  const std::size_t pixel = is_planar ? 1 : shape.c;  // values side by side
  const std::size_t planes = is_planar ? shape.c : 1;
  const std::size_t width = (box.right - box.left) * pixel;
  const auto* const from = static_cast<const T*>(batch.images);
  auto* const to = static_cast<T*>(batch.mixed_images);
  for (std::size_t row = 0; row < shape.n; ++row) {
    const std::size_t partner = partner_of(batch.partners, row, shape.n);
    for (std::size_t plane = 0; plane < planes; ++plane) {
      for (std::size_t y = box.top; y < box.bottom; ++y) {
        const std::size_t at = ((plane * shape.h + y) * shape.w + box.left) * pixel;
        if (partner < shape.n) {
          std::copy_n(from + partner * per_image + at, width, to + row * per_image + at);
        } else {
          std::fill_n(to + row * per_image + at, width, rounded<T>(kNan));
        }
      }
    }
  }
}

}  // namespace

void mix_on_host(const MixUp& mix) noexcept {
  const MixOperands& batch = mix.batch;
  const Weights weights(mix.lambda);
  mix_targets(batch, mix.lambda);
  if (batch.images == nullptr) return;
  const std::size_t per_image = batch.shape.h * batch.shape.w * batch.shape.c;
  switch (batch.dtype) {
    case DType::f16:
      return blend_rows<Half>(batch.mixed_images, batch.images, batch, per_image, weights);
    case DType::bf16:
      return blend_rows<BFloat16>(batch.mixed_images, batch.images, batch, per_image, weights);
    default:
      return blend_rows<float>(batch.mixed_images, batch.images, batch, per_image, weights);
  }
}

void mix_on_host(const CutMix& mix) noexcept {
  mix_targets(mix.batch, mix.lambda());
  if (mix.batch.images == nullptr) return;
  switch (mix.batch.dtype) {
    case DType::f16:
      return paste_boxes<Half>(mix);
    case DType::bf16:
      return paste_boxes<BFloat16>(mix);
    default:
      return paste_boxes<float>(mix);
  }
}

}  // namespace leat::detail
