// What a sampler has to work out for a whole epoch at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

namespace leat::detail {

// Holds the value of one epoch until another epoch is asked for: a loader asks for the parts of an epoch one
// after the other, and each part alone would cost the whole again. It cannot be seen from outside, as long as
// the value is a pure function of the epoch. Thread-safe.
//
// Invariant: value_ is null or the value of epoch_.
template <class Value>
class EpochCache {
 public:
  // make() is called where the value is not at hand, under the lock, so that it is made once. The value is
  // shared, because another thread may ask for another epoch while this one still reads.
  template <class Make>
  std::shared_ptr<const Value> get(std::uint64_t epoch, Make&& make) const {
    const std::lock_guard lock(mutex_);
    if (!value_ || epoch_ != epoch) {
      value_.reset();  // before the next one is made: two at once may be too large; and make() may throw
      value_ = std::make_shared<const Value>(make());
      epoch_ = epoch;
    }
    return value_;
  }

 private:
  mutable std::mutex mutex_;  // guards all below
  mutable std::uint64_t epoch_ = 0;
  mutable std::shared_ptr<const Value> value_;
};

}  // namespace leat::detail
