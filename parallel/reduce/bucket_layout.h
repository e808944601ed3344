// How gradients are laid out in memory, so that many small ones are reduced at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/dtype.h"

namespace leat::detail {

// What the layout has to know of one parameter's gradient.
struct GradientSize {
  DType dtype = DType::f32;
  std::size_t count = 0;  // elements
};

struct Bucket {
  std::size_t offset = 0;  // bytes from the start of the gradient buffer, a multiple of kGradientAlignment
  std::size_t bytes = 0;   // with the gaps between gradients
  DType dtype = DType::f32;
  std::vector<std::size_t> parameters{};  // in the order in which they lie there
};

struct BucketLayout {
  std::vector<Bucket> buckets;  // in the order in which they are reduced
  std::vector<std::size_t>
      offset_of;  // of each parameter's gradient, in bytes from the start of the gradient buffer
  std::vector<std::size_t> bucket_of;  // of each parameter
  std::size_t bytes = 0;               // of the gradient buffer
};

inline constexpr std::size_t kGradientAlignment = 256;

// Parameters in reverse order, which is roughly the order in which a backward pass finishes gradients. A
// bucket holds gradients of one dtype, and ends before it would exceed its cap; one gradient alone may exceed
// it. The first bucket has a cap of its own: a small one lets communication start early.
BucketLayout lay_out_buckets(std::span<const GradientSize> gradients, std::size_t first_cap_bytes,
                             std::size_t cap_bytes);

}  // namespace leat::detail
