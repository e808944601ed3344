// Included once for each instruction set by slice_reduce.cpp, so there is no #pragma once.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "leat/datasets/base/half_math.h"
#include "leat/parallel/local/slice_reduce.h"

HWY_BEFORE_NAMESPACE();
namespace leat::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Sum {
  static constexpr bool kDivides = false;
  template <class V>
  static HWY_INLINE V Apply(V a, V b) {
    return hn::Add(a, b);
  }
  template <class T>
  static HWY_INLINE T ApplyScalar(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;  // wraps around, where signed overflow would be undefined
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};

struct Average : Sum {
  static constexpr bool kDivides = true;  // the sum, by the number of sources
};

struct Maximum {
  static constexpr bool kDivides = false;
  template <class V>
  static HWY_INLINE V Apply(V a, V b) {
    return hn::IfThenElse(hn::Gt(b, a), b, a);  // Max() would treat NaNs as the instruction set does
  }
  template <class T>
  static HWY_INLINE T ApplyScalar(T a, T b) {
    return b > a ? b : a;
  }
};

// How elements of a type are loaded, combined and stored. A vector of 16-bit numbers is held as two vectors of f32,
// those of the even and of the odd places: taking them apart so needs no shuffles.
template <class T>
struct Elements {
  using Scalar = T;
  using D = hn::ScalableTag<T>;
  using Held = hn::Vec<D>;
  static HWY_INLINE std::size_t Lanes() { return hn::Lanes(D()); }
  static HWY_INLINE Held Load(const T* from) { return hn::LoadU(D(), from); }
  static HWY_INLINE void Store(Held value, T* to) { hn::StoreU(value, D(), to); }
  template <class Op>
  static HWY_INLINE Held Combine(Held a, Held b) {
    return Op::Apply(a, b);
  }
  static HWY_INLINE Held Divide(Held value, T divisor) { return hn::Div(value, hn::Set(D(), divisor)); }
  static HWY_INLINE T Widen(T value) { return value; }
  static HWY_INLINE T Narrow(T value) { return value; }
};

using Bits = hn::ScalableTag<std::uint32_t>;
using Floats = hn::ScalableTag<float>;
using BitsVector = hn::Vec<Bits>;
using FloatsVector = hn::Vec<Floats>;

struct EvenAndOdd {
  FloatsVector even, odd;
};

template <class T>
struct HalfElements {
  using Scalar = float;
  using Held = EvenAndOdd;
  static HWY_INLINE std::size_t Lanes() { return 2 * hn::Lanes(Bits()); }
  static HWY_INLINE BitsVector LoadBits(const T* from) {
    return hn::BitCast(Bits(), hn::LoadU(hn::Repartition<std::uint16_t, Bits>(),
                                         reinterpret_cast<const std::uint16_t*>(from)));
  }
  static HWY_INLINE void StoreBits(BitsVector bits, T* to) {
    const hn::Repartition<std::uint16_t, Bits> d;
    hn::StoreU(hn::BitCast(d, bits), d, reinterpret_cast<std::uint16_t*>(to));
  }
  template <class Op>
  static HWY_INLINE Held Combine(Held a, Held b) {
    return {Op::Apply(a.even, b.even), Op::Apply(a.odd, b.odd)};
  }
  static HWY_INLINE Held Divide(Held value, float divisor) {
    const FloatsVector by = hn::Set(Floats(), divisor);
    return {hn::Div(value.even, by), hn::Div(value.odd, by)};
  }
  static HWY_INLINE float Widen(T value) { return widen(value); }
};

template <>
struct Elements<BFloat16> : HalfElements<BFloat16> {
  static HWY_INLINE Held Load(const BFloat16* from) {
    const Bits d;
    const BitsVector bits = LoadBits(from);
    return {hn::BitCast(Floats(), hn::ShiftLeft<16>(bits)),
            hn::BitCast(Floats(), hn::And(bits, hn::Set(d, 0xffff0000U)))};
  }
  static HWY_INLINE void Store(Held value, BFloat16* to) {
    const auto nan = hn::Or(hn::Ne(value.even, value.even), hn::Ne(value.odd, value.odd));
    BitsVector even = Round(value.even);
    BitsVector odd = Round(value.odd);
    if (HWY_UNLIKELY(!hn::AllFalse(Floats(), nan))) {
      even = QuietNan(value.even, even);
      odd = QuietNan(value.odd, odd);
    }
    StoreBits(hn::Or(hn::ShiftRight<16>(even), hn::And(odd, hn::Set(Bits(), 0xffff0000U))), to);
  }
  static HWY_INLINE BFloat16 Narrow(float value) { return narrow_to_bfloat16(value); }

 private:
  // The upper 16 bits of both are those of narrow_to_bfloat16(), for numbers and for all values.
  static HWY_INLINE BitsVector Round(FloatsVector value) {
    const Bits d;
    const BitsVector bits = hn::BitCast(d, value);
    const BitsVector tie = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    return hn::Add(hn::Add(bits, hn::Set(d, 0x7fffU)), tie);
  }
  static HWY_INLINE BitsVector QuietNan(FloatsVector value, BitsVector rounded) {
    const Bits d;
    const auto nan = hn::RebindMask(d, hn::Ne(value, value));
    return hn::IfThenElse(nan, hn::Or(hn::BitCast(d, value), hn::Set(d, 0x400000U)), rounded);
  }
};

template <>
struct Elements<Half> : HalfElements<Half> {
  static HWY_INLINE Held Load(const Half* from) {
    const BitsVector bits = LoadBits(from);
    return {WidenBits(hn::And(bits, hn::Set(Bits(), 0xffffU))), WidenBits(hn::ShiftRight<16>(bits))};
  }
  static HWY_INLINE void Store(Held value, Half* to) {
    StoreBits(hn::Or(NarrowBits(value.even), hn::ShiftLeft<16>(NarrowBits(value.odd))), to);
  }
  static HWY_INLINE Half Narrow(float value) { return narrow_to_half(value); }

 private:
  // As widen() and narrow_to_half(). Magnitudes are below 2^31, so signed comparisons are right, and cheaper.
  using Signed = hn::ScalableTag<std::int32_t>;

  static HWY_INLINE hn::Mask<Bits> Less(BitsVector a, std::int32_t b) {
    const Signed d;
    return hn::RebindMask(Bits(), hn::Lt(hn::BitCast(d, a), hn::Set(d, b)));
  }
  static HWY_INLINE FloatsVector WidenBits(BitsVector bits) {
    const Bits d;
    const BitsVector magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(d, 0x7fffU)));
    const FloatsVector scaled = hn::Mul(hn::BitCast(Floats(), magnitude), hn::Set(Floats(), 0x1p112F));
    const BitsVector special = hn::IfThenZeroElse(Less(magnitude, 0x0f800000), hn::Set(d, 0x7f800000U));
    const BitsVector sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d, 0x8000U)));
    return hn::BitCast(Floats(), hn::Or(hn::Or(hn::BitCast(d, scaled), special), sign));
  }
  static HWY_INLINE BitsVector NarrowBits(FloatsVector value) {
    const Bits d;
    const BitsVector bits = hn::BitCast(d, value);
    const BitsVector sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000U));
    const BitsVector magnitude = hn::And(bits, hn::Set(d, 0x7fffffffU));
    const BitsVector tie = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
    const BitsVector rebased = hn::Sub(magnitude, hn::Set(d, 0x38000000U - 0xfffU));
    const BitsVector normal = hn::ShiftRight<13>(hn::Add(rebased, tie));
    const FloatsVector shifted = hn::Add(hn::BitCast(Floats(), magnitude), hn::Set(Floats(), 0.5F));
    const BitsVector subnormal = hn::Sub(hn::BitCast(d, shifted), hn::Set(d, 0x3f000000U));
    BitsVector result = hn::IfThenElse(Less(magnitude, 0x38800000), subnormal, normal);
    result = hn::IfThenElse(Less(magnitude, 0x477ff000), result, hn::Set(d, 0x7c00U));
    result = hn::IfThenElse(Less(magnitude, 0x7f800001), result, hn::Set(d, 0x7e00U));
    return hn::Or(sign, result);
  }
};

// Pointers to one type, shifted to the first element.
template <class T>
struct Operands {
  Operands(SliceSources from, SliceTargets to, std::size_t first)
      : sources(from), targets(to), start(first) {}
  const T* source(std::size_t i) const { return static_cast<const T*>(sources[i]) + start; }
  T* target(std::size_t i) const { return static_cast<T*>(targets[i]) + start; }
  SliceSources sources;
  SliceTargets targets;
  std::size_t start;
};

// What becomes of the elements that have been combined before they are stored.
template <class E, class Op>
HWY_INLINE typename E::Held Finish(typename E::Held value, std::size_t sources) {
  if constexpr (Op::kDivides) return E::Divide(value, static_cast<typename E::Scalar>(sources));
  return value;
}

template <class T, class Op>
void ReduceScalars(const Operands<T>& operands, std::size_t first, std::size_t count) {
  using E = Elements<T>;
  for (std::size_t i = first; i < count; ++i) {
    auto value = E::Widen(operands.source(0)[i]);
    for (std::size_t k = 1; k < operands.sources.size(); ++k)
      value = Op::ApplyScalar(value, E::Widen(operands.source(k)[i]));
    if constexpr (Op::kDivides) value /= static_cast<typename E::Scalar>(operands.sources.size());
    for (std::size_t k = 0; k < operands.targets.size(); ++k) operands.target(k)[i] = E::Narrow(value);
  }
}

// Two ranks, whose pointers stay in registers.
template <class T, class Op>
std::size_t ReducePairs(const Operands<T>& operands, std::size_t count) {
  using E = Elements<T>;
  const T* const a = operands.source(0);
  const T* const b = operands.source(1);
  T* const first = operands.target(0);
  T* const last = operands.target(operands.targets.size() - 1);
  const std::size_t lanes = E::Lanes();
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = Finish<E, Op>(E::template Combine<Op>(E::Load(a + i), E::Load(b + i)), 2);
    E::Store(value, first + i);
    if (last != first) E::Store(value, last + i);
  }
  return i;
}

template <class T, class Op>
void Reduce(const Operands<T>& operands, std::size_t count) {
  using E = Elements<T>;
  const std::size_t lanes = E::Lanes();
  std::size_t i = 0;
  if (operands.sources.size() == 2 && operands.targets.size() <= 2) {
    i = ReducePairs<T, Op>(operands, count);
  } else {
    for (; i + lanes <= count; i += lanes) {
      auto value = E::Load(operands.source(0) + i);
      for (std::size_t k = 1; k < operands.sources.size(); ++k)
        value = E::template Combine<Op>(value, E::Load(operands.source(k) + i));
      value = Finish<E, Op>(value, operands.sources.size());
      for (std::size_t k = 0; k < operands.targets.size(); ++k) E::Store(value, operands.target(k) + i);
    }
  }
  ReduceScalars<T, Op>(operands, i, count);
}

template <class T>
void ReduceBy(ReduceOp op, SliceSources sources, SliceTargets targets, ElementRange range) {
  const Operands<T> operands(sources, targets, range.first);
  const std::size_t count = range.last - range.first;
  if (op == ReduceOp::max) return Reduce<T, Maximum>(operands, count);
  if constexpr (!std::is_integral_v<T>) {  // averages of integers are refused by slice_reduce()
    if (op == ReduceOp::average) return Reduce<T, Average>(operands, count);
  }
  Reduce<T, Sum>(operands, count);
}

void ReduceSlice(SliceSources sources, SliceTargets targets, ElementRange range, DType dtype, ReduceOp op) {
  switch (dtype) {
    case DType::f16:
      return ReduceBy<Half>(op, sources, targets, range);
    case DType::bf16:
      return ReduceBy<BFloat16>(op, sources, targets, range);
    case DType::f32:
      return ReduceBy<float>(op, sources, targets, range);
    case DType::f64:
      return ReduceBy<double>(op, sources, targets, range);
    case DType::i32:
      return ReduceBy<std::int32_t>(op, sources, targets, range);
    case DType::i64:
      return ReduceBy<std::int64_t>(op, sources, targets, range);
    default:
      break;  // refused by slice_reduce()
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace leat::detail
HWY_AFTER_NAMESPACE();
