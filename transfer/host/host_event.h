// Events of the host device.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

namespace leat::detail {

// One recording of an event: fires once, when its stream gets there. Thread-safe.
class HostMark {
 public:
  // `failure` is what had failed on the stream by then, or null.
  void fire(std::exception_ptr failure) noexcept;
  bool fired() const;
  std::exception_ptr wait() const;  // blocks until it has fired; returns the failure that it carries

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool fired_ = false;          // guarded by mutex_
  std::exception_ptr failure_;  // guarded by mutex_
};

// Points to its last recording, if any; who waits keeps the recording that was the last at that time.
// Thread-safe.
class HostEvent {
 public:
  void set(std::shared_ptr<HostMark> mark);
  std::shared_ptr<HostMark> last() const;  // null: never recorded

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<HostMark>
      mark_;  // guarded by mutex_; shared with streams that have yet to fire or to pass it
};

}  // namespace leat::detail
