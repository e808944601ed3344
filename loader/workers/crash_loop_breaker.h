// CrashLoopBreaker: decides when to stop replacing workers. A plain class.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::detail {

// A loader whose workers only die makes no progress, and would fork forever. So the loader gives up when more than
// max(3, workers) of them have died with no sample finished in between. A sample is finished when it is loaded or
// found to be bad. The caller must not count workers that ended before they had initialized, or that were killed from
// outside while they waited for work.
class CrashLoopBreaker {
 public:
  explicit CrashLoopBreaker(std::size_t workers) : allowed_(std::max<std::size_t>(3, workers)) {}

  // Counts the death of a worker at the time when `finished` samples had been finished in all. Returns whether to
  // give up.
  bool died(std::uint64_t finished) {
    if (finished != finished_) deaths_ = 0;
    finished_ = finished;
    return ++deaths_ > allowed_;
  }
  std::size_t deaths() const noexcept { return deaths_; }  // since the last finished sample

 private:
  std::size_t allowed_;
  std::size_t deaths_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace leat::detail
