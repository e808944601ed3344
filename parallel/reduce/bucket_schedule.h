// The schedule of one backward pass: which bucket may be reduced when.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leat::detail {

// Not thread-safe. Invariants, for every order in which gradients become ready:
//  1. A bucket is launched once, when all its gradients are ready and all buckets before it are launched. So every
//     rank launches the buckets in the same order, 0 to n-1.
//  2. When all gradients are ready, all buckets are launched.
class BucketSchedule {
 public:
  // `bucket_of[i]` is the bucket of gradient i. Buckets are numbered from 0, and none is empty.
  explicit BucketSchedule(std::vector<std::size_t> bucket_of);

  // Buckets [first, last) must be launched now.
  struct Launch {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  // Marks gradient i as ready. Throws ArgumentError if there is no such gradient, or if it is already marked.
  Launch mark_ready(std::size_t i);

  bool is_ready(std::size_t i) const { return ready_[i]; }
  // Tells whether no gradient is ready yet.
  bool untouched() const noexcept { return outstanding_ == sizes_; }
  bool complete() const noexcept { return launched_ == outstanding_.size(); }
  std::vector<std::size_t> missing() const;  // gradients that are not ready yet
  // The gradients that are ready, in the order in which they became so.
  const std::vector<std::size_t>& order() const noexcept { return order_; }
  void reset();  // prepares for the next backward pass

 private:
  std::vector<std::size_t> bucket_of_;
  std::vector<std::size_t> sizes_;        // number of gradients in each bucket
  std::vector<std::size_t> outstanding_;  // how many of these are not ready yet
  std::vector<bool> ready_;
  std::vector<std::size_t> order_;
  std::size_t launched_ = 0;
};

}  // namespace leat::detail
