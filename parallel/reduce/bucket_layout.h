// The layout of gradients in memory, in which many small gradients are reduced at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/datasets/dtype.h"

namespace leat::detail {

// The properties of one parameter's gradient that the layout depends on.
struct GradientSize {
  DType dtype = DType::f32;
  std::size_t count = 0;  // elements
};

struct Bucket {
  std::size_t offset = 0;  // bytes from the start of the gradient buffer, a multiple of kGradientAlignment
  std::size_t bytes = 0;   // with the gaps between gradients
  DType dtype = DType::f32;
  std::vector<std::size_t> parameters{};  // in the order in which they are laid out
};

struct BucketLayout {
  std::vector<Bucket> buckets;  // in the order in which they are reduced
  std::vector<std::size_t>
      offset_of;  // of each parameter's gradient: bytes from the start of the gradient buffer
  std::vector<std::size_t> bucket_of;  // of each parameter
  std::size_t bytes = 0;               // of the gradient buffer
};

inline constexpr std::size_t kGradientAlignment = 256;

// Lays out the gradients in the given order, in which all of them occur once. A bucket holds gradients of one dtype,
// and ends before it would exceed its cap; only a single gradient may exceed it. The first bucket has a cap of its own:
// a small one lets communication start early.
BucketLayout lay_out_buckets(std::span<const GradientSize> gradients, std::span<const std::size_t> order,
                             std::size_t first_cap_bytes, std::size_t cap_bytes);

// Returns n-1, ..., 1, 0: roughly the order in which a backward pass finishes gradients.
std::vector<std::size_t> reverse_order(std::size_t n);

}  // namespace leat::detail
