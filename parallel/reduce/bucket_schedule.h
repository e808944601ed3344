// Which bucket may be reduced when, in one backward pass.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leat::detail {

// A plain class, not thread-safe. Invariants, for every order in which gradients become ready:
//  1. A bucket is launched once, when all its gradients are ready and all buckets before it are launched. So
//  every rank
//     launches the buckets in the same order, 0 to n-1.
//  2. When all gradients are ready, all buckets are launched.
class BucketSchedule {
 public:
  // `bucket_of[i]` is the bucket of gradient i; buckets are numbered from 0 and none is empty.
  explicit BucketSchedule(std::vector<std::size_t> bucket_of);

  // Buckets [first, last) are to be launched now.
  struct Launch {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  // Gradient i is ready. Throws ArgumentError where there is no such gradient, or where it was ready before.
  Launch mark_ready(std::size_t i);

  bool is_ready(std::size_t i) const { return ready_[i]; }
  bool complete() const noexcept { return launched_ == outstanding_.size(); }
  std::vector<std::size_t> missing() const;  // gradients that are not ready yet
  void reset();                              // for the next backward pass

 private:
  const std::vector<std::size_t> bucket_of_;
  std::vector<std::size_t> sizes_;        // gradients of each bucket
  std::vector<std::size_t> outstanding_;  // of these, not ready yet
  std::vector<bool> ready_;
  std::size_t launched_ = 0;
};

}  // namespace leat::detail
