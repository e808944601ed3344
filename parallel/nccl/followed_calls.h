// The collectives of a communicator that are on streams and have not ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/collective_call.h"
#include "leat/parallel/nccl/hang_diagnosis.h"
#include "leat/transfer/cuda/cuda_device.h"

namespace leat::detail {

// Each collective is an entry in the failure log of its stream, which ends when the event behind the collective has
// passed, or when the communicator fails. So a failure reaches synchronize() of the stream, of events that are recorded
// behind the collective, and of all streams that wait for these.
//
// Nothing is recorded on a stream that is being captured into a graph: an event that was recorded there cannot be
// queried, and the query would break the capture. The collective runs at each launch of the graph, and none of these
// runs is followed. If the communicator fails, so does the stream that was captured.
//
// Threads: one thread at a time calls begin() and enqueued(), any thread the others. Invariants:
//  1. NCCL runs the collectives of a communicator in the order of the calls, whatever their streams. So only the oldest
//     one is queried. Its time counts from its call, or from when the one before it was seen to have ended.
//  2. A collective without a recorded event has not ended.
class FollowedCalls {
 public:
  explicit FollowedCalls(cuda::CudaDevice& device) : device_(device) {}
  FollowedCalls(const FollowedCalls&) = delete;
  FollowedCalls& operator=(const FollowedCalls&) = delete;
  ~FollowedCalls();  // what is left has ended well; does nothing in a forked process

  // Notes a collective that is about to be enqueued. Throws DeviceError.
  void begin(const CollectiveCall& call, StreamRef stream, std::chrono::milliseconds limit);
  // Says that the collective that was begun last is on its stream. Throws DeviceError.
  void enqueued();

  bool empty() const;
  // Forgets the collectives that have ended. Throws DeviceError.
  void poll();
  // Returns the oldest collective if it has exceeded its limit.
  std::optional<OverdueCall> overdue() const;
  // Returns a description of the oldest collective that has not ended; empty if there is none.
  std::string oldest() const;
  // Fails the streams of all collectives that have not ended. Call it before the streams may go on.
  void fail(const std::exception_ptr& failure) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    CollectiveCall call;
    StreamRef stream;
    std::chrono::milliseconds limit;
    std::shared_ptr<cuda::FailureLog> log;  // shared with the stream
    std::uint64_t number = 0;               // in the log
    std::optional<Event> event;  // none while it is recorded, which may block if the GPU's queue is full
    bool is_recorded = false;
  };

  void end_oldest(std::exception_ptr failure);  // the caller holds mutex_
  bool has_passed(const Entry& entry) const noexcept;

  const ProcessIdentity owner_;
  cuda::CudaDevice& device_;

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  Clock::time_point oldest_since_{};  // when the oldest one became the oldest
  std::vector<Event> spare_events_;
  std::set<std::shared_ptr<cuda::FailureLog>> captured_;  // of streams on which collectives were captured
  bool is_capture_ = false;                               // the collective that was begun last is captured
};

}  // namespace leat::detail
