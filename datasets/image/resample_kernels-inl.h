// Included once for each instruction set by resample_kernels.cpp; hence no #pragma once.
#include <hwy/highway.h>

#include "datasets/image/coefficients.h"
#include "datasets/image/resample_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace leat {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

using Sums = hn::ScalableTag<std::int32_t>;
using Bytes = hn::Repartition<std::uint8_t, Sums>;
using BytesOfSums = hn::Rebind<std::uint8_t, Sums>;

// 16 bytes from each of several places.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const std::uint8_t* from, const std::int32_t* offsets) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, from + offsets[0]);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, from, offsets + hn::MaxLanes(half) / 16),
                       LoadBlocks(half, from, offsets));
  }
}

// For TableLookupBytesOr0: the byte at `first` in a block, and those `step` further on, as 32-bit numbers.
template <int kFirst, int kStep>
HWY_INLINE hn::Vec<Bytes> EveryNth() {
  constexpr std::uint8_t n = 0x80;  // becomes 0
  constexpr auto at = [](int i) { return static_cast<std::uint8_t>(kFirst + i * kStep); };
  // Of a pixel's four numbers the last is unused: it repeats the third, which is inside the block.
  constexpr std::uint8_t last = kStep == 1 ? at(2) : at(3);
  alignas(16) static constexpr std::uint8_t kTable[16] = {at(0), n, n, n, at(1), n, n, n,
                                                          at(2), n, n, n, last,  n, n, n};
  return hn::LoadDup128(Bytes(), kTable);
}

HWY_INLINE hn::Vec<Sums> ToNumbers(hn::Vec<Bytes> blocks, hn::Vec<Bytes> table) {
  return hn::BitCast(Sums(), hn::TableLookupBytesOr0(blocks, table));
}

HWY_INLINE hn::Vec<BytesOfSums> ToPixels(hn::Vec<Sums> sums) {
  return hn::DemoteTo(BytesOfSums(), hn::ShiftRight<kWeightBits>(sums));
}

// Adds `kTaps` neighbouring source pixels, the first of them the first of each block.
template <std::size_t kTaps>
HWY_INLINE hn::Vec<Sums> AddTaps(hn::Vec<Sums> sum, hn::Vec<Bytes> source, const std::int32_t* weights,
                                 std::size_t next_tap) {
  const Sums d;
  const auto a = hn::Mul(ToNumbers(source, EveryNth<0, 1>()), hn::LoadU(d, weights));
  sum = hn::Add(sum, a);
  if constexpr (kTaps > 1) {
    const auto b = hn::Mul(ToNumbers(source, EveryNth<3, 1>()), hn::LoadU(d, weights + next_tap));
    sum = hn::Add(sum, b);
  }
  if constexpr (kTaps > 2) {
    const auto c = hn::Mul(ToNumbers(source, EveryNth<6, 1>()), hn::LoadU(d, weights + 2 * next_tap));
    sum = hn::Add(sum, c);
  }
  if constexpr (kTaps > 3) {
    const auto e = hn::Mul(ToNumbers(source, EveryNth<9, 1>()), hn::LoadU(d, weights + 3 * next_tap));
    sum = hn::Add(sum, e);
  }
  return sum;
}

// Four vectors of sums become bytes, channel by channel: the first byte of each number is the first vector's.
HWY_INLINE hn::Vec<Bytes> Merge(hn::Vec<Sums> a, hn::Vec<Sums> b, hn::Vec<Sums> c, hn::Vec<Sums> e) {
  const Sums d;
  const auto most = hn::Set(d, (256 << kWeightBits) - 1);  // what is clamped to 255 pixels has 30 bits
  const auto clamp = [&](hn::Vec<Sums> sum) HWY_ATTR { return hn::Min(hn::Max(sum, hn::Zero(d)), most); };
  const auto low = hn::ShiftRight<kWeightBits>(clamp(a));
  const auto second = hn::And(hn::ShiftRight<kWeightBits - 8>(clamp(b)), hn::Set(d, 0xff00));
  const auto third = hn::And(hn::ShiftRight<kWeightBits - 16>(clamp(c)), hn::Set(d, 0xff0000));
  const auto high = hn::ShiftLeft<24>(hn::ShiftRight<kWeightBits>(clamp(e)));
  return hn::BitCast(Bytes(), hn::Or(hn::Or(low, second), hn::Or(third, high)));
}

// Writes the twelve bytes of four pixels from each block, which holds them channel by channel.
template <class V>
HWY_INLINE void StorePixels(V blocks, std::uint8_t* out) {
  using D = hn::DFromV<V>;
  if constexpr (hn::MaxLanes(D()) == 16) {
    hn::StoreU(blocks, D(), out);
  } else {
    const hn::Half<D> half;
    StorePixels(hn::LowerHalf(half, blocks), out);
    StorePixels(hn::UpperHalf(half, blocks), out + hn::MaxLanes(half) / 4 * 3);
  }
}

HWY_INLINE hn::Vec<Bytes> PixelByPixel(hn::Vec<Bytes> channels) {
  alignas(16) static constexpr std::uint8_t kTable[16] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 0, 0, 0, 0};
  return hn::TableLookupBytes(channels, hn::LoadDup128(Bytes(), kTable));
}

// The sums of some output pixels, the first of them at `position` of the arrays. Source pixels are taken by
// fours, which fit into a block; `kLast` of them are left in the end.
template <std::size_t kLast>
HWY_INLINE hn::Vec<Sums> WeighPixels(const std::uint8_t* row, const RowWeights& how, std::size_t position) {
  const std::size_t next_tap = how.pixels * kWeightCopies;
  const std::int32_t* weights = how.weights + position * kWeightCopies;
  auto sum = hn::Set(Sums(), kHalf);
  for (std::size_t left = how.taps; left > kLast; left -= 4, row += 12, weights += 4 * next_tap) {
    sum = AddTaps<4>(sum, LoadBlocks(Bytes(), row, how.offsets + position), weights, next_tap);
  }
  return AddTaps<kLast>(sum, LoadBlocks(Bytes(), row, how.offsets + position), weights, next_tap);
}

template <std::size_t kLast>
HWY_INLINE void WeighRowBy(const std::uint8_t* row, const RowWeights& weights, std::uint8_t* out) {
  constexpr std::size_t kBlocks = hn::MaxLanes(Sums()) / kWeightCopies;
  const RowWeights how = weights;  // a copy: for all the compiler knows, writing pixels could change it
  for (std::size_t x = 0; x < how.pixels; x += kPixelGroup) {
    for (std::size_t i = x; i < x + 4; i += kBlocks, out += 12 * kBlocks) {
      const auto a = WeighPixels<kLast>(row, how, i), b = WeighPixels<kLast>(row, how, i + 4);
      const auto c = WeighPixels<kLast>(row, how, i + 8), e = WeighPixels<kLast>(row, how, i + 12);
      StorePixels(PixelByPixel(Merge(a, b, c, e)), out);
    }
  }
}

inline void WeighRow(const std::uint8_t* row, const RowWeights& how, std::uint8_t* out) {
  switch (how.taps % 4) {
    case 1:
      return WeighRowBy<1>(row, how, out);
    case 2:
      return WeighRowBy<2>(row, how, out);
    case 3:
      return WeighRowBy<3>(row, how, out);
    default:
      return WeighRowBy<4>(row, how, out);
  }
}

HWY_INLINE void BlendOne(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                         std::size_t at, std::uint8_t* out) {
  const Sums d;
  auto sum = hn::Set(d, kHalf);
  for (std::size_t k = 0; k < count; ++k) {
    const auto pixels = hn::PromoteTo(d, hn::LoadU(BytesOfSums(), rows[k] + at));
    sum = hn::Add(sum, hn::Mul(pixels, hn::Set(d, weights[k])));
  }
  hn::StoreU(ToPixels(sum), BytesOfSums(), out + at);
}

// Four at a time, to load each weight less often.
HWY_INLINE void BlendFour(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                          std::size_t at, std::uint8_t* out) {
  const Sums d;
  const BytesOfSums bytes;
  constexpr std::size_t n = hn::MaxLanes(Sums());
  auto a = hn::Set(d, kHalf), b = a, c = a, e = a;
  for (std::size_t k = 0; k < count; ++k) {
    const auto weight = hn::Set(d, weights[k]);
    const std::uint8_t* row = rows[k] + at;
    a = hn::Add(a, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row))));
    b = hn::Add(b, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row + n))));
    c = hn::Add(c, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row + 2 * n))));
    e = hn::Add(e, hn::Mul(weight, hn::PromoteTo(d, hn::LoadU(bytes, row + 3 * n))));
  }
  hn::StoreU(ToPixels(a), bytes, out + at);
  hn::StoreU(ToPixels(b), bytes, out + at + n);
  hn::StoreU(ToPixels(c), bytes, out + at + 2 * n);
  hn::StoreU(ToPixels(e), bytes, out + at + 3 * n);
}

inline void BlendRows(const std::uint8_t* const* rows, const std::int32_t* weights, std::size_t count,
                      std::uint8_t* out, std::size_t bytes) {
  constexpr std::size_t n = hn::MaxLanes(Sums());
  std::size_t at = 0;
  for (; at + 4 * n <= bytes; at += 4 * n) BlendFour(rows, weights, count, at, out);
  for (; at + n <= bytes; at += n) BlendOne(rows, weights, count, at, out);
  if (at == bytes) return;
  std::uint8_t rest[n];
  const auto end = [&](std::size_t k) HWY_ATTR { return rows[k] + at; };
  const Sums d;
  auto sum = hn::Set(d, kHalf);
  for (std::size_t k = 0; k < count; ++k)
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[k]), hn::PromoteTo(d, hn::LoadU(BytesOfSums(), end(k)))));
  hn::StoreU(ToPixels(sum), BytesOfSums(), rest);
  for (std::size_t i = 0; at < bytes; ++i, ++at) out[at] = rest[i];
}

// What fma() gives: the product of 8 and 24 bits is exact in double, and so is its sum with a float of
// similar size, so it is rounded once.
inline float ScaleOne(std::uint8_t pixel, float scale, float bias) {
  return static_cast<float>(double{scale} * pixel + double{bias});
}

// `kTap`: the channel. Four pixels of each block become numbers.
template <int kTap>
HWY_INLINE void ScaleChannel(hn::Vec<Bytes> blocks, const ChannelScale& how, float* out) {
  const hn::Rebind<float, Sums> f;
  const auto numbers = hn::ConvertTo(f, ToNumbers(blocks, EveryNth<kTap, 3>()));
  hn::StoreU(hn::MulAdd(numbers, hn::Set(f, how.scale[kTap]), hn::Set(f, how.bias[kTap])), f, out);
}

inline void ScaleRow(const std::uint8_t* rgb, std::size_t pixels, const ChannelScale& how,
                     const std::array<float*, 3>& planes) {
  constexpr std::size_t n = hn::MaxLanes(Sums());
  alignas(16) static constexpr std::int32_t kOffsets[] = {0, 12, 24, 36, 48, 60, 72, 84};
  std::size_t x = 0;
  if constexpr (HWY_NATIVE_FMA != 0) {
    for (; x + n <= pixels; x += n) {
      const auto blocks = LoadBlocks(Bytes(), rgb + 3 * x, kOffsets);
      ScaleChannel<0>(blocks, how, planes[0] + x);
      ScaleChannel<1>(blocks, how, planes[1] + x);
      ScaleChannel<2>(blocks, how, planes[2] + x);
    }
  }
  for (; x < pixels; ++x) {
    for (std::size_t c = 0; c < 3; ++c) planes[c][x] = ScaleOne(rgb[3 * x + c], how.scale[c], how.bias[c]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace leat
HWY_AFTER_NAMESPACE();
