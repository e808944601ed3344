#include "leat/transfer/host/host_event.h"

#include <utility>

namespace leat::detail {

void HostMark::fire(std::exception_ptr failure) noexcept {
  // Notify while holding the lock: once it is released, a waiter may return and destroy the mark.
  const std::lock_guard lock(mutex_);
  fired_ = true;
  time_ = std::chrono::steady_clock::now();
  failure_ = std::move(failure);
  changed_.notify_all();
}

bool HostMark::fired() const {
  const std::lock_guard lock(mutex_);
  return fired_;
}

std::chrono::steady_clock::time_point HostMark::time() const {
  const std::lock_guard lock(mutex_);
  return time_;
}

std::exception_ptr HostMark::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return fired_; });
  return failure_;
}

void HostEvent::set(std::shared_ptr<HostMark> mark) {
  const std::lock_guard lock(mutex_);
  mark_.swap(mark);
}

std::shared_ptr<HostMark> HostEvent::last() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

}  // namespace leat::detail
