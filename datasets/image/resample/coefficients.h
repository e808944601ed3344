// The weights that one axis of a resampling gives to its source pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/image/resample/geometry.h"

namespace leat::detail {

// Weights are fixed-point numbers with this many fractional bits, as in Pillow: 8 bits are left for the
// pixel, and 2 for sums that overshoot (bicubic).
inline constexpr int kWeightBits = 32 - 8 - 2;

// Computed for the window alone, with Pillow's formulas (precompute_coeffs and normalize_coeffs_8bpc of
// Resample.c), as if the source began and ended where the axis's `reach` does. Where Pillow holds the box in float, it
// is double here. Memory is reused from one compute() to
// the next.
class Coefficients {
 public:
  struct Taps {
    int first = 0;  // the first source pixel
    std::span<const std::int32_t>
        weights;  // one per source pixel from `first` on; their sum is about 2^kWeightBits

    int last() const noexcept { return first + static_cast<int>(weights.size()); }  // behind the last one
  };

  // `reversed`: output pixels are numbered from the far end of the window (a mirrored image).
  void compute(const AxisPlan& axis, Filter filter, bool reversed);

  int size() const noexcept { return static_cast<int>(taps_.size()); }  // output pixels
  Taps operator[](int output) const noexcept;
  int max_taps() const noexcept { return max_taps_; }
  PixelRange source() const noexcept { return source_; }  // the source pixels that have a weight

 private:
  struct Entry {
    int first;
    int count;
  };

  template <Filter kFilter>
  void fill(const AxisPlan& axis, double support, bool reversed);
  template <Filter kFilter>
  void weigh(std::size_t output, double center, double inverse);

  std::size_t stride_ = 0;  // weights per output pixel, at most
  std::vector<Entry> taps_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;
  PixelRange source_;
  int max_taps_ = 0;
};

}  // namespace leat::detail
