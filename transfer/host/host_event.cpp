#include "leat/transfer/host/host_event.h"

#include <utility>

#include "leat/loader/os/brief_wait.h"

namespace leat::detail {

void HostMark::fire(const std::exception_ptr& failure) noexcept {
  std::vector<std::function<void(std::exception_ptr)>> notes;
  {
    // Notify while holding the lock: once it is released, a waiter may return and destroy the mark.
    const std::lock_guard lock(mutex_);
    fired_ = true;
    time_ = std::chrono::steady_clock::now();
    failure_ = failure;
    notes.swap(notes_);
    changed_.notify_all();
  }
  for (const auto& then : notes) then(failure);
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
  wait_briefly([this] { return fired_.load(std::memory_order_relaxed); });
  std::unique_lock lock(mutex_);  // also if it has fired: the thread that fires it may still hold the lock
  changed_.wait(lock, [this] { return fired_.load(); });
  return failure_;
}

void HostMark::notify(std::function<void(std::exception_ptr)> then) {
  std::unique_lock lock(mutex_);
  if (!fired_) {
    notes_.push_back(std::move(then));
    return;
  }
  lock.unlock();
  then(failure_);  // which does not change any more
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
