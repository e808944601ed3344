// Included once for each instruction set by kernels.cpp, so there is no #pragma once. Compiled without fused
// multiply-adds.
#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/pixels/vectors-inl.h"
// Must follow vectors-inl.h.
#include "leat/datasets/image/pixels/hue_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace leat::detail::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE IntVec Blend(FloatVec plain, FloatVec bytes, FloatVec factor) {
  return Truncated(Clamp(hn::Add(plain, hn::Mul(factor, hn::Sub(bytes, plain))), 255));
}

struct ConstantBlend {
  FloatVec plain, factor;

  HWY_INLINE void operator()(std::uint8_t* at) const {
    const ByteVec bytes = hn::LoadU(Bytes(), at);
    hn::StoreU(Merge(Blend(plain, Part<0>(bytes), factor), Blend(plain, Part<1>(bytes), factor),
                     Blend(plain, Part<2>(bytes), factor), Blend(plain, Part<3>(bytes), factor)),
               Bytes(), at);
  }
};

inline void BlendWithConstant(std::uint8_t* bytes, std::size_t count, std::uint8_t plain, float factor) {
  ForBlocks<kBytes>(bytes, count, ConstantBlend{Number(plain), Number(factor)});
}

// The same as gray_of(). All numbers are below 2^24, so the arithmetic is exact.
HWY_INLINE IntVec Gray(const Pixels& p) {
  const auto red = hn::Mul(p.red, Number(19595)), green = hn::Mul(p.green, Number(38470)),
             blue = hn::Mul(p.blue, Number(7471));
  const auto sum = hn::Add(hn::Add(red, green), hn::Add(blue, Number(0x8000)));
  return hn::ShiftRight<16>(Truncated(sum));
}

HWY_INLINE ByteVec GrayBytes(const std::uint8_t* rgb) {
  const BytesOfPixels pixels = LoadPixels(rgb);
  return Merge(Gray(pixels.part<0>()), Gray(pixels.part<1>()), Gray(pixels.part<2>()),
               Gray(pixels.part<3>()));
}

struct GrayBlend {
  FloatVec factor;

  HWY_INLINE IntPixels operator()(const Pixels& p) const {
    const FloatVec gray = hn::ConvertTo(Floats(), Gray(p));
    return {Blend(gray, p.red, factor), Blend(gray, p.green, factor), Blend(gray, p.blue, factor)};
  }
};

inline void BlendWithGray(std::uint8_t* rgb, std::size_t count, float factor) {
  ForPixels(rgb, count, GrayBlend{Number(factor)});
}

struct GrayMaker {
  HWY_INLINE void operator()(std::uint8_t* rgb) const {
    const ByteVec gray = GrayBytes(rgb);
    hn::StoreInterleaved3(gray, gray, gray, Bytes(), rgb);
  }
};

inline void MakeGray(std::uint8_t* rgb, std::size_t count) {
  ForBlocks<3 * kBytes>(rgb, count, GrayMaker());
}

inline std::uint64_t SumOfGrays(const std::uint8_t* rgb, std::size_t count) {
  constexpr std::size_t kBlock = 3 * kBytes;
  auto sum = hn::Zero(Sums());
  std::size_t at = 0;
  for (; at + kBlock <= count; at += kBlock) sum = hn::Add(sum, hn::SumsOf8(GrayBytes(rgb + at)));
  std::uint8_t rest[kBlock] = {};
  std::memcpy(rest, rgb + at, count - at);
  sum = hn::Add(sum, hn::SumsOf8(GrayBytes(rest)));
  return hn::GetLane(hn::SumOfLanes(Sums(), sum));
}

// Sums of three bytes that are one pixel apart from each other, separately for even and odd byte positions.
struct Triples {
  hn::Vec<Words> even, odd;
};

HWY_INLINE hn::Vec<Words> Even(ByteVec bytes) {
  return hn::And(hn::BitCast(Words(), bytes), hn::Set(Words(), 255));
}

HWY_INLINE hn::Vec<Words> Odd(ByteVec bytes) {
  return hn::ShiftRight<8>(hn::BitCast(Words(), bytes));
}

HWY_INLINE Triples AddTriple(const std::uint8_t* at) {
  const auto left = hn::LoadU(Bytes(), at - 3), here = hn::LoadU(Bytes(), at),
             right = hn::LoadU(Bytes(), at + 3);
  return {hn::Add(hn::Add(Even(left), Even(here)), Even(right)),
          hn::Add(hn::Add(Odd(left), Odd(here)), Odd(right))};
}

// x / 13, truncated, for x up to 13 * 255 + 6: first about 19 / 256 of x, then a correction from the remainder.
HWY_INLINE hn::Vec<Words> Thirteenth(hn::Vec<Words> x) {
  const auto most = hn::ShiftRight<8>(hn::Mul(x, hn::Set(Words(), 19)));
  const auto rest = hn::Sub(x, hn::Mul(most, hn::Set(Words(), 13)));
  return hn::Add(most, hn::ShiftRight<10>(hn::Mul(rest, hn::Set(Words(), 79))));
}

// (sum of the nine pixels + four times the middle pixel) / 13, rounded to nearest. Pillow's floats give the same
// result: the quotient is never halfway between two integers.
HWY_INLINE hn::Vec<Words> Smoothed(hn::Vec<Words> a, hn::Vec<Words> b, hn::Vec<Words> c,
                                   hn::Vec<Words> middle) {
  const auto sum = hn::Add(hn::Add(a, b), hn::Add(c, hn::ShiftLeft<2>(middle)));
  return Thirteenth(hn::Add(sum, hn::Set(Words(), 6)));
}

HWY_INLINE void SharpenBlock(const ThreeRows& rows, std::size_t at, FloatVec factor, std::uint8_t* out) {
  const Triples a = AddTriple(rows.above + at), b = AddTriple(rows.here + at), c = AddTriple(rows.below + at);
  const ByteVec here = hn::LoadU(Bytes(), rows.here + at);
  const auto even = Smoothed(a.even, b.even, c.even, Even(here)),
             odd = Smoothed(a.odd, b.odd, c.odd, Odd(here));
  const ByteVec plain = hn::BitCast(Bytes(), hn::Or(even, hn::ShiftLeft<8>(odd)));
  hn::StoreU(
      Merge(Blend(Part<0>(plain), Part<0>(here), factor), Blend(Part<1>(plain), Part<1>(here), factor),
            Blend(Part<2>(plain), Part<2>(here), factor), Blend(Part<3>(plain), Part<3>(here), factor)),
      Bytes(), out);
}

inline void SharpenRow(const ThreeRows& rows, std::uint8_t* out, std::size_t count, float factor) {
  const std::size_t end = count - 3;
  std::size_t at = 3;
  for (; at + kBytes <= end; at += kBytes) SharpenBlock(rows, at, Number(factor), out + at);
  if (at == end) return;
  std::uint8_t copies[3][kBytes + 6] = {}, made[kBytes];
  const std::uint8_t* const from[] = {rows.above, rows.here, rows.below};
  for (int i = 0; i < 3; ++i) std::memcpy(copies[i], from[i] + at - 3, count - at + 3);
  SharpenBlock({copies[0], copies[1], copies[2]}, 3, Number(factor), made);
  std::memcpy(out + at, made, end - at);
}

struct ByteMask {
  ByteVec mask;

  HWY_INLINE void operator()(std::uint8_t* at) const {
    hn::StoreU(hn::And(hn::LoadU(Bytes(), at), mask), Bytes(), at);
  }
};

inline void MaskBytes(std::uint8_t* bytes, std::size_t count, std::uint8_t mask) {
  ForBlocks<kBytes>(bytes, count, ByteMask{hn::Set(Bytes(), mask)});
}

struct ByteInverter {
  ByteVec threshold;

  HWY_INLINE void operator()(std::uint8_t* at) const {
    const auto bytes = hn::LoadU(Bytes(), at);
    hn::StoreU(hn::IfThenElse(hn::Lt(bytes, threshold), bytes, hn::Not(bytes)), Bytes(), at);
  }
};

inline void InvertBytesFrom(std::uint8_t* bytes, std::size_t count, std::uint8_t threshold) {
  ForBlocks<kBytes>(bytes, count, ByteInverter{hn::Set(Bytes(), threshold)});
}

}  // namespace HWY_NAMESPACE
}  // namespace leat::detail::kernels
HWY_AFTER_NAMESPACE();
