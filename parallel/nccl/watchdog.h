// The thread that looks after a process's communicators.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "leat/datasets/base/process_identity.h"

namespace leat::detail {

// Something that the watchdog looks after.
class Watched {
 public:
  virtual ~Watched() = default;
  // Looks for what has happened. Returns how long the watchdog may leave it alone. Called on the watchdog's thread;
  // must not add or remove what is watched.
  virtual std::chrono::milliseconds look() noexcept = 0;
};

// One thread looks after everything that is watched in this process. It starts with the first add(), sleeps between two
// looks, and ends with the last remove(). A forked process has a watchdog of its own, which watches nothing at first.
//
// Threads: any. Invariants:
//  1. look() is called for one object at a time, without mutex_, and looked_at_ names the object meanwhile.
//  2. When remove() returns, the object is not being looked at, and will not be again.
class Watchdog {
 public:
  static Watchdog& of_this_process();  // never destroyed

  // Throws SystemError if the thread cannot be started.
  void add(Watched& watched);
  void remove(Watched& watched) noexcept;
  // Makes the watchdog look again within `delay`, whatever the last look() returned.
  void hurry(Watched& watched, std::chrono::milliseconds delay) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Watched* watched = nullptr;
    Clock::time_point next{};  // when to look at it
  };

  Watchdog() = default;
  void run(const bool& is_over);
  Entry* find(const Watched& watched) noexcept;
  Entry* first_due() noexcept;

  const ProcessIdentity owner_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;  // the thread waits for it: entries_ or *is_over_ has changed
  std::condition_variable looked_;   // remove() waits for it: looked_at_ has changed
  std::vector<Entry> entries_;
  const Watched* looked_at_ = nullptr;
  std::shared_ptr<bool> is_over_;  // ends the thread; shared with it; null: there is no thread
  std::thread thread_;
};

// Watches an object as long as it lives. Does nothing in a forked process.
class Watch {
 public:
  explicit Watch(Watched& watched) : watched_(watched) { Watchdog::of_this_process().add(watched_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (owner_.is_current()) Watchdog::of_this_process().remove(watched_);
  }

 private:
  const ProcessIdentity owner_;
  Watched& watched_;
};

}  // namespace leat::detail
