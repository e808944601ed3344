// When to stop replacing workers. A plain class.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::detail {

// A loader whose workers only die gets nowhere, and would fork for ever. It is given up when more than
// max(3, workers) of them have died with no sample finished in between: neither loaded nor found to be bad. Workers
// that somebody killed while they waited for work are not counted: whoever calls died() leaves those out.
class CrashLoopBreaker {
 public:
  explicit CrashLoopBreaker(std::size_t workers) : allowed_(std::max<std::size_t>(3, workers)) {}

  // A worker died when `finished` samples had been finished in all; true: enough.
  bool died(std::uint64_t finished) {
    if (finished != finished_) deaths_ = 0;
    finished_ = finished;
    return ++deaths_ > allowed_;
  }
  std::size_t deaths() const noexcept { return deaths_; }  // since a sample was last finished

 private:
  std::size_t allowed_;
  std::size_t deaths_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace leat::detail
