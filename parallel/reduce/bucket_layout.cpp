#include "leat/parallel/reduce/bucket_layout.h"

#include <numeric>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

bool fits(const Bucket& bucket, DType dtype, std::size_t bytes, std::size_t cap) {
  return bucket.parameters.empty() || (bucket.dtype == dtype && checked_add(bucket.bytes, bytes) <= cap);
}

}  // namespace

std::vector<std::size_t> reverse_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

BucketLayout lay_out_buckets(std::span<const GradientSize> gradients, std::span<const std::size_t> order,
                             std::size_t first_cap_bytes, std::size_t cap_bytes) {
  BucketLayout layout;
  layout.offset_of.resize(gradients.size());
  layout.bucket_of.resize(gradients.size());
  Bucket current;
  const auto close = [&] {
    if (current.parameters.empty()) return;
    layout.bytes = current.offset + current.bytes;
    layout.buckets.push_back(std::move(current));
    current = Bucket{.offset = layout.bytes};
  };
  for (const std::size_t i : order) {
    const DType dtype = gradients[i].dtype;
    const std::size_t bytes =
        align_up(checked_multiply(gradients[i].count, size_of(dtype)), kGradientAlignment);
    if (!fits(current, dtype, bytes, layout.buckets.empty() ? first_cap_bytes : cap_bytes)) close();
    layout.offset_of[i] = current.offset + current.bytes;
    layout.bucket_of[i] = layout.buckets.size();
    current.dtype = dtype;
    current.bytes = checked_add(current.bytes, bytes);
    current.parameters.push_back(i);
  }
  close();
  return layout;
}

}  // namespace leat::detail
