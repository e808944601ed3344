// Events of the host device.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

namespace leat::detail {

// One recording of an event. Fires once, when its stream gets there. Thread-safe.
class HostMark {
 public:
  // `failure` is the stream's failure up to this point, or null.
  void fire(std::exception_ptr failure) noexcept;
  bool fired() const;
  std::chrono::steady_clock::time_point time() const;  // when it fired, if it has
  std::exception_ptr wait() const;                     // blocks until the mark has fired; returns its failure

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool fired_ = false;                            // guarded by mutex_
  std::chrono::steady_clock::time_point time_{};  // guarded by mutex_
  std::exception_ptr failure_;                    // guarded by mutex_
};

// Points to its last recording, if any. A waiting thread keeps a reference to the recording that it waits for.
// Thread-safe.
class HostEvent {
 public:
  void set(std::shared_ptr<HostMark> mark);
  std::shared_ptr<HostMark> last() const;  // null if the event was never recorded

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<HostMark>
      mark_;  // guarded by mutex_; shared with streams that still have to fire or pass it
};

}  // namespace leat::detail
