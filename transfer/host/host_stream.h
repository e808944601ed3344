// A stream of the host device: a queue, and the thread that works it off.
#pragma once

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

// Threads: any thread may call the members, except that work running on the stream must not call
// synchronize() or the destructor; the stream's own thread runs everything that was queued.
// Invariants:
//  1. Tasks run one at a time, in the order in which they were queued.
//  2. Every mark that was queued fires, and every wait is waited for, whatever failed before: order holds on
//     a failed stream too, and nobody hangs on it.
//  3. The first failure stays for the stream's life; work behind it is skipped, marks behind it carry it.
//  4. A wait names a mark that was queued before it. So there is no cycle of streams that wait for each
//     other.
class HostStream {
 public:
  HostStream();
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;
  ~HostStream();  // runs what is queued, then ends the thread

  void run(std::function<void()> work);           // what `work` throws is the stream's failure
  void fire(std::shared_ptr<HostMark> mark);      // when everything before has run
  void wait_for(std::shared_ptr<HostMark> mark);  // everything behind waits; a failure is taken over
  void synchronize();                             // rethrows the failure, as the exception that it was

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
  using Task = std::variant<Work, Fire, Wait>;

  void push(Task task);
  void work_off();
  bool pop(Task& task);  // blocks; false: the stream is ending and the queue is empty
  void perform(Task& task) noexcept;

  std::exception_ptr failure_;  // the stream's thread alone

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;  // guarded by mutex_
  bool ending_ = false;     // guarded by mutex_

  std::thread thread_;  // constant after construction; last, so that it starts when the rest is there
};

}  // namespace leat::detail
