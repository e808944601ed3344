// EpochCache: caches a value that a sampler can only compute for a whole epoch at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

namespace leat::detail {

// Holds the value of one epoch until another epoch is requested. A loader requests the parts of an epoch one after
// the other, and without the cache each part would cost as much as the whole epoch. The cache has no visible effect
// as long as the value is a pure function of the epoch. Thread-safe.
//
// Invariant: value_ is null or the value of epoch_.
template <class Value>
class EpochCache {
 public:
  // Returns the value of `epoch`. If it is not in the cache, calls make() under the lock, so that it is made only
  // once. The value is shared, because another thread may request another epoch while this thread still reads it.
  template <class Make>
  std::shared_ptr<const Value> get(std::uint64_t epoch, Make&& make) const {
    const std::lock_guard lock(mutex_);
    if (!value_ || epoch_ != epoch) {
      value_.reset();  // first: two values may not fit into memory, and make() may throw
      value_ = std::make_shared<const Value>(make());
      epoch_ = epoch;
    }
    return value_;
  }

 private:
  mutable std::mutex mutex_;  // guards all members below
  mutable std::uint64_t epoch_ = 0;
  mutable std::shared_ptr<const Value> value_;
};

}  // namespace leat::detail
