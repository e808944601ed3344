// What failed on a stream, and on the streams that it waited for.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>

namespace leat::detail::cuda {

class FailureLog;

// A point in a stream: what an event that is recorded there carries. Null log: nothing before it can fail.
struct FailureMark {
  std::shared_ptr<FailureLog> log;  // shared by the stream and by its events, which may outlive it
  std::uint64_t position = 0;       // the entries of the log up to here come before
};

// The list of a stream's host work, which may fail, and of its waits for streams with such work, in the stream's order.
// A wait for an event of another kind of device counts as host work here, which ends when that event passes. So does
// work of a library that is followed, such as a collective.
// It answers whether something failed before a point of the stream, so CUDA need not be asked to carry failures along.
//
// Threads: any; one lock for all logs of the process, since they refer to each other.
// Invariants:
//  1. Entries are numbered from 1. Those up to settled_ have ended well and are forgotten.
//  2. A wait refers to a mark that was made before it. So two logs never wait for each other.
//  3. The first failure, in the stream's order, stays. Entries behind it are forgotten.
class FailureLog : public std::enable_shared_from_this<FailureLog> {
 public:
  // Adds host work that is being enqueued. Returns its number.
  std::uint64_t add_work();
  // Notes that host work has run, was skipped, or could not be enqueued after all. Null: it has ended well.
  void end_work(std::uint64_t number, std::exception_ptr failure);
  // Adds a wait for a mark of another stream.
  void add_wait(const FailureMark& source);
  // Notes a failure of work that is not in the list: it counts as the first of what has not ended yet.
  void fail(std::exception_ptr failure);

  // Returns the mark of the present end of the log. Its log is null if all entries have ended well.
  FailureMark mark();
  // Returns the first failure up to an entry; null if none of them has failed so far.
  std::exception_ptr failure_before(std::uint64_t position);
  // Returns the stream's first failure, null if there is none so far.
  std::exception_ptr failure();

 private:
  struct Entry {
    bool has_ended = false;
    std::exception_ptr failure;
    FailureMark source;  // of a wait
  };

  // The caller of these holds the lock.
  void settle(std::uint64_t limit);
  std::exception_ptr failure_up_to(std::uint64_t position) const;
  std::uint64_t count() const noexcept { return settled_ + entries_.size(); }
  void set_failure(std::uint64_t position, std::exception_ptr failure);

  std::deque<Entry> entries_;  // from settled_ + 1 on
  std::uint64_t settled_ = 0;
  std::exception_ptr failure_;
  std::uint64_t failed_at_ = 0;  // number of the entry that failed
};

}  // namespace leat::detail::cuda
