// How long a stream waited for data.
#pragma once

#include <chrono>

#include "leat/transfer/device.h"

namespace leat::tools {

// Times are taken on the stream, when it gets there, and not when the host enqueues: a host that runs ahead
// is no data that is late. Threads: the members are called by one thread at a time; the stream's host
// functions write between restart() and the synchronization of the stream that must come before seconds().
class StallClock {
 public:
  // The stream is idle from now on. Nothing is enqueued on it.
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
