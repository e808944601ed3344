// A clock for the time that a stream waits for data.
#pragma once

#include <chrono>

#include "leat/transfer/device.h"

namespace leat::tools {

// Times are taken when the stream reaches a point, not when the host enqueues it: if the host runs ahead, that does
// not mean that data is late. Threads: the members are called by one thread at a time. The stream's host functions
// write between restart() and the synchronization of the stream, which must precede seconds().
class StallClock {
 public:
  // Starts the clock: the stream is idle from now on. Nothing may be enqueued on it.
  void restart() {
    stalled_ = {};
    idle_since_ = Clock::now();
  }
  void data_is_here(StreamRef stream) {
    stream.device().enqueue(stream, [this] { stalled_ += Clock::now() - idle_since_; });
  }
  void work_is_done(StreamRef stream) {
    stream.device().enqueue(stream, [this] { idle_since_ = Clock::now(); });
  }
  double seconds() const { return std::chrono::duration<double>(stalled_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point idle_since_{};
  Clock::duration stalled_{};
};

}  // namespace leat::tools
