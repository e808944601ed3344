// Weights of source pixels along one axis of a resampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/image/resample/geometry.h"

namespace leat::detail {

// Number of fractional bits of the fixed-point weights, as in Pillow: 8 bits are left for the pixel, and 2 for sums
// that overshoot (bicubic).
inline constexpr int kWeightBits = 32 - 8 - 2;

// Weights for the window only, computed with Pillow's formulas (precompute_coeffs and normalize_coeffs_8bpc of
// Resample.c) as if the source began and ended at the axis's `reach`. Pillow holds the box in float; this class uses
// double. Memory is reused from one compute() to the next.
class Coefficients {
 public:
  struct Taps {
    int first = 0;  // the first source pixel
    std::span<const std::int32_t>
        weights;  // one per source pixel from `first` on; their sum is about 2^kWeightBits

    int last() const noexcept { return first + static_cast<int>(weights.size()); }  // one past the last pixel
  };

  // `reversed`: output pixels are numbered from the far end of the window (a mirrored image).
  void compute(const AxisPlan& axis, Filter filter, bool reversed);

  int size() const noexcept { return static_cast<int>(taps_.size()); }  // number of output pixels
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

  std::size_t stride_ = 0;  // maximum number of weights per output pixel
  std::vector<Entry> taps_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;
  PixelRange source_;
  int max_taps_ = 0;
};

}  // namespace leat::detail
