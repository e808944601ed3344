#include "leat/parallel/nccl/watchdog.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "leat/loader/os/service_thread.h"
#include "leat/transfer/cuda/check.h"

namespace leat::detail {

// In a forked process the parent's watchdog is left alone: its thread does not exist, and its mutex may be locked.
Watchdog& Watchdog::of_this_process() {
  static std::atomic<Watchdog*> current{nullptr};
  Watchdog* known = current.load();
  while (known == nullptr || !known->owner_.is_current()) {
    std::unique_ptr<Watchdog> made(new Watchdog);
    if (current.compare_exchange_strong(known, made.get())) return *made.release();
  }
  return *known;
}

void Watchdog::add(Watched& watched) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({.watched = &watched, .next = Clock::now()});
  if (is_over_ != nullptr) {
    changed_.notify_all();
    return;
  }
  const auto is_over = std::make_shared<bool>(false);
  try {
    thread_ = start_service_thread("leat-watchdog", [this, is_over] { run(*is_over); });
  } catch (...) {
    entries_.pop_back();
    throw;
  }
  is_over_ = is_over;
}

void Watchdog::remove(Watched& watched) noexcept {
  std::unique_lock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.watched == &watched; });  // no further look
  looked_.wait(lock, [&] { return looked_at_ != &watched; });
  if (!entries_.empty() || is_over_ == nullptr) return;
  *std::exchange(is_over_, nullptr) = true;
  std::thread ending = std::exchange(thread_, {});
  changed_.notify_all();
  lock.unlock();
  ending.join();
}

void Watchdog::hurry(Watched& watched, std::chrono::milliseconds delay) noexcept {
  const Clock::time_point wanted = Clock::now() + delay;
  const std::lock_guard lock(mutex_);
  Entry* const entry = find(watched);
  if (entry == nullptr || entry->next <= wanted) return;
  entry->next = wanted;
  changed_.notify_all();
}

void Watchdog::run(const bool& is_over) {
  const cuda::RelaxedCaptures relaxed;  // it queries events while other threads capture
  std::unique_lock lock(mutex_);
  while (!is_over) {
    Entry* const due = first_due();
    if (due == nullptr) {
      changed_.wait(lock);
      continue;
    }
    if (Clock::now() < due->next) {
      changed_.wait_until(lock, Clock::time_point(due->next));
      continue;
    }
    Watched& watched = *due->watched;
    due->next = Clock::time_point::max();  // unless hurry() is called meanwhile
    looked_at_ = &watched;
    lock.unlock();
    const std::chrono::milliseconds pause = watched.look();
    lock.lock();
    looked_at_ = nullptr;
    looked_.notify_all();
    if (Entry* const entry = find(watched)) entry->next = std::min(entry->next, Clock::now() + pause);
  }
}

Watchdog::Entry* Watchdog::find(const Watched& watched) noexcept {
  const auto found = std::ranges::find(entries_, &watched, &Entry::watched);
  return found == entries_.end() ? nullptr : &*found;
}

Watchdog::Entry* Watchdog::first_due() noexcept {
  const auto first = std::ranges::min_element(entries_, {}, &Entry::next);
  return first == entries_.end() ? nullptr : &*first;
}

}  // namespace leat::detail
