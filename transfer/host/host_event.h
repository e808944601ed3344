// Events of the host device.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "leat/datasets/base/process_identity.h"

namespace leat::detail {

// One recording of an event. Fires once, when its stream gets there. Thread-safe.
class HostMark {
 public:
  // `failure` is the stream's failure up to this point, or null.
  void fire(const std::exception_ptr& failure) noexcept;
  bool fired() const;
  std::chrono::steady_clock::time_point time() const;  // when it fired, if it has
  std::exception_ptr wait() const;                     // blocks until the mark has fired; returns its failure
  // Calls `then` with the failure once the mark has fired, on the thread that fires it, or right now if it has fired.
  // `then` must not throw.
  void notify(std::function<void(std::exception_ptr)> then);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::atomic<bool> fired_ = false;                             // changes under mutex_
  std::chrono::steady_clock::time_point time_{};                // guarded by mutex_
  std::exception_ptr failure_;                                  // guarded by mutex_
  std::vector<std::function<void(std::exception_ptr)>> notes_;  // guarded by mutex_; to be called
};

// Points to its last recording, if any. A waiting thread keeps a reference to the recording that it waits for.
// Thread-safe. Must not be used in a forked process, where its recordings never fire.
class HostEvent {
 public:
  bool is_of_this_process() const noexcept { return owner_.is_current(); }
  void set(std::shared_ptr<HostMark> mark);
  std::shared_ptr<HostMark> last() const;  // null if the event was never recorded

 private:
  const ProcessIdentity owner_;
  mutable std::mutex mutex_;
  std::shared_ptr<HostMark>
      mark_;  // guarded by mutex_; shared with streams that still have to fire or pass it
};

}  // namespace leat::detail
