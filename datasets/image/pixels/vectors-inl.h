// Bytes and pixels as vectors of numbers. Included once for each instruction set by kernels-inl.h.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace leat::detail::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Bytes = hn::Repartition<std::uint8_t, Floats>;
using Words = hn::Repartition<std::uint16_t, Floats>;
using Sums = hn::Repartition<std::uint64_t, Floats>;
using FloatVec = hn::Vec<Floats>;
using IntVec = hn::Vec<Ints>;
using ByteVec = hn::Vec<Bytes>;

inline constexpr std::size_t kBytes = hn::MaxLanes(Bytes());

HWY_INLINE FloatVec Number(float number) {
  return hn::Set(Floats(), number);
}

// Calls `op` for each kBlock bytes. The last block, if incomplete, is processed in a copy, which is copied back.
template <std::size_t kBlock, class Op>
HWY_INLINE void ForBlocks(std::uint8_t* bytes, std::size_t count, const Op& op) {
  std::size_t at = 0;
  for (; at + kBlock <= count; at += kBlock) op(bytes + at);
  if (at == count) return;
  std::uint8_t rest[kBlock] = {};
  std::memcpy(rest, bytes + at, count - at);
  op(rest);
  std::memcpy(bytes + at, rest, count - at);
}

// A vector of bytes becomes four vectors of numbers. Vector kPart holds every fourth byte, starting at byte kPart.
template <int kPart>
HWY_INLINE FloatVec Part(ByteVec bytes) {
  const auto shifted = hn::ShiftRight<8 * kPart>(hn::BitCast(Ints(), bytes));
  return hn::ConvertTo(Floats(), hn::And(shifted, hn::Set(Ints(), 255)));
}

HWY_INLINE ByteVec Merge(IntVec a, IntVec b, IntVec c, IntVec d) {
  const auto low = hn::Or(a, hn::ShiftLeft<8>(b)), high = hn::Or(hn::ShiftLeft<16>(c), hn::ShiftLeft<24>(d));
  return hn::BitCast(Bytes(), hn::Or(low, high));
}

HWY_INLINE IntVec Truncated(FloatVec numbers) {
  return hn::ConvertTo(Ints(), numbers);
}

HWY_INLINE FloatVec Whole(FloatVec numbers) {  // for numbers of at least 0
  return hn::ConvertTo(Floats(), Truncated(numbers));
}

HWY_INLINE FloatVec Clamp(FloatVec numbers, float most) {
  return hn::Min(hn::Max(numbers, hn::Zero(Floats())), Number(most));
}

struct Pixels {
  FloatVec red, green, blue;
};

struct BytesOfPixels {
  ByteVec red, green, blue;

  template <int kPart>
  HWY_INLINE Pixels part() const {
    return {Part<kPart>(red), Part<kPart>(green), Part<kPart>(blue)};
  }
};

HWY_INLINE BytesOfPixels LoadPixels(const std::uint8_t* rgb) {
  ByteVec red, green,
      blue;  // not in the struct, since its constructor would not be built for the instruction set
  hn::LoadInterleaved3(Bytes(), rgb, red, green, blue);
  return {red, green, blue};
}

struct IntPixels {
  IntVec red, green, blue;
};

HWY_INLINE void StorePixels(const IntPixels& a, const IntPixels& b, const IntPixels& c, const IntPixels& d,
                            std::uint8_t* rgb) {
  hn::StoreInterleaved3(Merge(a.red, b.red, c.red, d.red), Merge(a.green, b.green, c.green, d.green),
                        Merge(a.blue, b.blue, c.blue, d.blue), Bytes(), rgb);
}

// Applies `op` to all pixels of a block.
template <class Op>
struct PixelMap {
  Op op;

  HWY_INLINE void operator()(std::uint8_t* rgb) const {
    const BytesOfPixels pixels = LoadPixels(rgb);
    StorePixels(op(pixels.part<0>()), op(pixels.part<1>()), op(pixels.part<2>()), op(pixels.part<3>()), rgb);
  }
};

template <class Op>
HWY_INLINE void ForPixels(std::uint8_t* rgb, std::size_t count, const Op& op) {
  ForBlocks<3 * kBytes>(rgb, count, PixelMap<Op>{op});
}

}  // namespace HWY_NAMESPACE
}  // namespace leat::detail::kernels
HWY_AFTER_NAMESPACE();
