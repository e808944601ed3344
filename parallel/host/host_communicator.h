// A communicator over host memory: checks arguments and enqueues an engine's blocking collectives on host
// streams.
#pragma once

#include <chrono>
#include <memory>

#include "leat/parallel/host/call_queue.h"

namespace leat::detail {

// The longest timeout, a year: more cannot be told in nanoseconds beside the time since the machine started.
inline constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24 * 365);

// Calls run in the order in which they were made, even across streams. If a stream skips a call because something
// before it failed, the communicator fails at once, so that peers need not wait until their deadline.
class HostCommunicator final : public Communicator {
 public:
  HostCommunicator(std::unique_ptr<HostEngine> engine, Device& device, std::chrono::milliseconds timeout);

  int rank() const noexcept override { return queue_->engine().rank(); }
  int size() const noexcept override { return queue_->engine().size(); }
  std::string engine() const override { return queue_->engine().name(); }
  Device& device() const noexcept override { return device_; }

  void all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) override;
  void reduce_scatter(TensorSpan from, TensorSpan to, ReduceOp op, StreamRef stream) override;
  void broadcast(TensorSpan data, int root, StreamRef stream) override;
  void all_gather(TensorSpan from, TensorSpan to, StreamRef stream) override;
  void send(TensorSpan data, int to, StreamRef stream) override;
  void recv(TensorSpan data, int from, StreamRef stream) override;
  CommunicationBuffer allocate(std::size_t bytes) override;
  void barrier() override;
  void throw_if_failed() override { queue_->throw_if_failed(); }
  void abort(std::string_view why) noexcept override;

 private:
  void enqueue(CollectiveCall call, StreamRef stream);

  Device& device_;
  std::shared_ptr<CallQueue> queue_;  // shared with calls in flight, which may outlive the communicator
};

}  // namespace leat::detail
