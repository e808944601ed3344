// A mutex that a thread cannot keep from others by locking it again and again.
#pragma once

#include <mutex>

namespace leat::detail {

// For std::lock_guard. The thread that waits for the mutex holds the gate. So the thread that had the mutex cannot get
// past the gate before the waiting one has had its turn. With std::mutex alone, it would take the mutex again before
// the waiting thread has woken up.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard waiting(gate_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex gate_;
  std::mutex mutex_;
};

}  // namespace leat::detail
