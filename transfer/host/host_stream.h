// A stream of the host device: a queue, and the thread that runs it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

#include "leat/transfer/host/host_event.h"

namespace leat::detail {

// Threads: any thread may call the members, but work running on the stream must not call synchronize() or the
// destructor. The stream's own thread runs everything that was queued.
// Invariants:
//  1. Tasks run one at a time, in the order in which they were queued.
//  2. Every queued mark fires, and every wait is carried out, even after a failure. So the order also holds on a
//     failed stream, and nothing hangs on it.
//  3. The first failure stays for the stream's life. Later work is skipped, and later marks carry the failure.
//  4. A wait names a mark that was queued before it, so streams cannot wait for each other in a cycle.
class HostStream {
 public:
  HostStream();
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;
  ~HostStream();  // runs what is queued, then ends the thread

  void run(std::function<void()> work);           // an exception from `work` becomes the stream's failure
  void fire(std::shared_ptr<HostMark> mark);      // fires when everything before it has run
  void wait_for(std::shared_ptr<HostMark> mark);  // makes later tasks wait; takes over the mark's failure
  void wait_in(
      std::function<void()> waiter);  // the same for another device's mark: see Device::make_waiter()
  void synchronize();                 // rethrows the failure with its own type

  // Tells whether the calling thread is that of a stream.
  static bool runs_this_thread() noexcept;

 private:
  struct Work {
    std::function<void()> run;
  };
  struct Fire {
    std::shared_ptr<HostMark> mark;
  };
  struct Wait {
    std::shared_ptr<HostMark> mark;
  };
  struct ForeignWait {
    std::function<void()> waiter;
  };
  using Task = std::variant<Work, Fire, Wait, ForeignWait>;

  void push(Task task);
  void work_off();
  bool pop(Task& task);  // blocks; false if the stream is ending and the queue is empty
  void perform(Task& task) noexcept;
  void attempt(const std::function<void()>& function) noexcept;  // what it throws fails the stream

  std::exception_ptr failure_;  // used only by the stream's thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;                 // guarded by mutex_
  bool ending_ = false;                    // guarded by mutex_
  std::atomic<std::uint64_t> pushed_ = 0;  // tasks so far; changes under mutex_
  std::uint64_t popped_ = 0;               // used only by the stream's thread

  std::thread thread_;  // constant after construction; last, so that it starts when all members exist
};

}  // namespace leat::detail
