// Included once for each instruction set by resample_kernels.cpp, so there is no #pragma once.
#include <hwy/highway.h>

#include "leat/datasets/image/resample/coefficients.h"
#include "leat/datasets/image/resample/resample_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace leat::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

using Sums = hn::ScalableTag<std::int32_t>;
using Bytes = hn::Repartition<std::uint8_t, Sums>;
using Pairs = hn::Repartition<std::int16_t, Sums>;
using BytesOfSums = hn::Rebind<std::uint8_t, Sums>;

// Loads 16 bytes from each of several offsets.
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

// Table for TableLookupBytesOr0: the bytes kFirst, kFirst + 3, kFirst + 6 and kFirst + 9 of a block, as 32-bit
// numbers.
template <int kFirst>
HWY_INLINE hn::Vec<Bytes> EveryThird() {
  constexpr std::uint8_t n = 0x80;  // becomes 0
  constexpr std::uint8_t f = kFirst;
  alignas(16) static constexpr std::uint8_t kTable[16] = {f,     n, n, n, f + 3, n, n, n,
                                                          f + 6, n, n, n, f + 9, n, n, n};
  return hn::LoadDup128(Bytes(), kTable);
}

// Table for TableLookupBytesOr0: the pixel at byte `kFirst` of a block and the next pixel, as 16-bit numbers, channel
// by channel. The fourth pair is unused.
template <int kFirst>
HWY_INLINE hn::Vec<Bytes> PixelPairs() {
  constexpr std::uint8_t n = 0x80;
  constexpr std::uint8_t f = kFirst;
  alignas(16) static constexpr std::uint8_t kTable[16] = {f,     n, f + 3, n, f + 1, n, f + 4, n,
                                                          f + 2, n, f + 5, n, n,     n, n,     n};
  return hn::LoadDup128(Bytes(), kTable);
}

HWY_INLINE hn::Vec<Sums> ToNumbers(hn::Vec<Bytes> blocks, hn::Vec<Bytes> table) {
  return hn::BitCast(Sums(), hn::TableLookupBytesOr0(blocks, table));
}

HWY_INLINE hn::Vec<BytesOfSums> ToPixels(hn::Vec<Sums> sums) {
  return hn::DemoteTo(BytesOfSums(), hn::ShiftRight<kWeightBits>(sums));
}

// Sums, separate for the two parts of the weights (see WeightPair). On some instruction sets the sum of a pair of
// products is spread over two vectors.
struct SplitSums {
  hn::Vec<Sums> high, more_high, low, more_low;
};

HWY_INLINE SplitSums NoSums() {
  const auto zero = hn::Zero(Sums());
  return {zero, zero, zero, zero};
}

// Combines the sums and adds one half, to round to nearest. The half cannot be added earlier: only here is it known
// which output pixel each sum belongs to.
HWY_INLINE hn::Vec<Sums> Join(const SplitSums& sums) {
  const auto high = hn::RearrangeToOddPlusEven(sums.high, sums.more_high);
  const auto low = hn::RearrangeToOddPlusEven(sums.low, sums.more_low);
  return hn::Add(hn::ShiftLeft<WeightPair::kLowBits>(high), hn::Add(low, hn::Set(Sums(), kHalf)));
}

// Adds the pixel at byte `kFirst` of each block and the next pixel. The low parts of the weights are `next` numbers
// after the high parts.
template <int kFirst>
HWY_INLINE void AddPair(SplitSums& sums, hn::Vec<Bytes> blocks, const std::int32_t* weights,
                        std::size_t next) {
  const Sums d;
  const auto pixels = hn::BitCast(Pairs(), hn::TableLookupBytesOr0(blocks, PixelPairs<kFirst>()));
  const auto high = hn::BitCast(Pairs(), hn::LoadU(d, weights));
  const auto low = hn::BitCast(Pairs(), hn::LoadU(d, weights + next));
  sums.high = hn::ReorderWidenMulAccumulate(d, pixels, high, sums.high, sums.more_high);
  sums.low = hn::ReorderWidenMulAccumulate(d, pixels, low, sums.low, sums.more_low);
}

// Adds the first `kTaps` source pixels of each block, at most four.
template <std::size_t kTaps>
HWY_INLINE void AddTaps(SplitSums& sums, hn::Vec<Bytes> blocks, const std::int32_t* weights,
                        std::size_t next) {
  AddPair<0>(sums, blocks, weights, next);
  if constexpr (kTaps > 2) AddPair<6>(sums, blocks, weights + 2 * next, next);
}

// Converts four vectors of sums to bytes. In each block, the first and second vector become the lower bytes of 16-bit
// numbers, and the third and fourth the higher bytes.
HWY_INLINE hn::Vec<Bytes> Merge(hn::Vec<Sums> a, hn::Vec<Sums> b, hn::Vec<Sums> c, hn::Vec<Sums> e) {
  const Pairs d;
  const auto clamp = [&](hn::Vec<Sums> first, hn::Vec<Sums> second) HWY_ATTR {
    const auto both =
        hn::ReorderDemote2To(d, hn::ShiftRight<kWeightBits>(first), hn::ShiftRight<kWeightBits>(second));
    return hn::Min(hn::Max(both, hn::Zero(d)), hn::Set(d, 255));
  };
  return hn::BitCast(Bytes(), hn::Or(clamp(a, b), hn::ShiftLeft<8>(clamp(c, e))));
}

// Writes the first twelve bytes of each block, which are four pixels.
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

// Reorders the result of Merge() pixel by pixel.
HWY_INLINE hn::Vec<Bytes> PixelByPixel(hn::Vec<Bytes> merged) {
  alignas(16) static constexpr std::uint8_t kTable[16] = {0, 2, 4, 8, 10, 12, 1, 3, 5, 9, 11, 13, 0, 0, 0, 0};
  return hn::TableLookupBytes(merged, hn::LoadDup128(Bytes(), kTable));
}

// The sums of some output pixels, the first of which is at `position` in the arrays. Source pixels are processed in
// groups of four, which fit into a block; `kLast` pixels are left for the end.
template <std::size_t kLast>
HWY_INLINE hn::Vec<Sums> WeighPixels(const std::uint8_t* row, const RowWeights& how, std::size_t position) {
  const std::size_t next = how.pixels * kWeightCopies;
  const std::int32_t* weights = how.weights + position * kWeightCopies;
  SplitSums sums = NoSums();
  for (std::size_t left = how.taps; left > kLast; left -= 4, row += 12, weights += 4 * next) {
    AddTaps<4>(sums, LoadBlocks(Bytes(), row, how.offsets + position), weights, next);
  }
  AddTaps<kLast>(sums, LoadBlocks(Bytes(), row, how.offsets + position), weights, next);
  return Join(sums);
}

template <std::size_t kLast>
HWY_INLINE void WeighRowBy(const std::uint8_t* row, const RowWeights& weights, std::uint8_t* out) {
  constexpr std::size_t kBlocks = hn::MaxLanes(Sums()) / kWeightCopies;
  const RowWeights how = weights;  // a copy: the compiler must assume that writing pixels changes `weights`
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

// Blends four vectors at a time, so that each weight is loaded less often.
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

// Returns the result of fma(). The product of 8 and 24 bits is exact in double, and so is its sum with a float of
// similar size, so the result is rounded only once.
inline float ScaleOne(std::uint8_t pixel, float scale, float bias) {
  return static_cast<float>(double{scale} * pixel + double{bias});
}

// `kTap` is the channel. Converts four pixels of each block to numbers.
template <int kTap>
HWY_INLINE void ScaleChannel(hn::Vec<Bytes> blocks, const ChannelScale& how, float* out) {
  const hn::Rebind<float, Sums> f;
  const auto numbers = hn::ConvertTo(f, ToNumbers(blocks, EveryThird<kTap>()));
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
}  // namespace leat::detail
HWY_AFTER_NAMESPACE();
