#include "leat/parallel/host/host_communicator.h"

#include <fmt/format.h>

#include <utility>

#include "leat/parallel/host/call_checks.h"

namespace leat::detail {
namespace {

// A call on its way through a stream. If it is destroyed before it has run, its communicator fails.
class PendingCall {
 public:
  PendingCall(std::shared_ptr<CallQueue> queue, const CollectiveCall& call)
      : queue_(std::move(queue)), call_(call) {}
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  ~PendingCall() {
    if (!started_)
      queue_->fail({.kind = Failure::Kind::other,
                    .ranks = {},
                    .text = fmt::format("rank {}: {} was skipped, because its stream had failed before it",
                                        queue_->engine().rank(), describe(call_))});
  }

  void run() {
    started_ = true;
    queue_->run(call_);
  }

 private:
  const std::shared_ptr<CallQueue> queue_;  // shared: see HostCommunicator
  const CollectiveCall call_;
  bool started_ = false;
};

}  // namespace

HostCommunicator::HostCommunicator(std::unique_ptr<HostEngine> engine, Device& device,
                                   std::chrono::milliseconds timeout)
    : device_(device), queue_(std::make_shared<CallQueue>(std::move(engine), timeout)) {}

void HostCommunicator::enqueue(CollectiveCall call, StreamRef stream) {
  queue_->enter(call);
  // Shared only because std::function copies what it holds.
  auto pending = std::make_shared<PendingCall>(queue_, call);
  device_.enqueue(stream, [pending = std::move(pending)] { pending->run(); });
}

void HostCommunicator::all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "all_reduce");
  check_reducible(data, op, "all_reduce");
  enqueue({.kind = CollectiveCall::Kind::all_reduce, .op = op, .data = data}, stream);
}

void HostCommunicator::reduce_scatter(TensorSpan from, TensorSpan to, ReduceOp op, StreamRef stream) {
  check_stream(*this, stream);
  check_span(from, "reduce_scatter");
  check_span(to, "the result of reduce_scatter");
  check_scatter(*this, from, to);
  check_reducible(from, op, "reduce_scatter");
  enqueue({.kind = CollectiveCall::Kind::reduce_scatter, .op = op, .data = from, .result = to}, stream);
}

void HostCommunicator::broadcast(TensorSpan data, int root, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "broadcast");
  check_root(*this, root);
  enqueue({.kind = CollectiveCall::Kind::broadcast, .root = root, .data = data}, stream);
}

void HostCommunicator::all_gather(TensorSpan from, TensorSpan to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(from, "all_gather");
  check_span(to, "the result of all_gather");
  check_gather(*this, from, to);
  enqueue({.kind = CollectiveCall::Kind::all_gather, .data = from, .result = to}, stream);
}

void HostCommunicator::send(TensorSpan data, int to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "send");
  check_peer(*this, to, "send to");
  enqueue({.kind = CollectiveCall::Kind::send, .root = to, .data = data}, stream);
}

void HostCommunicator::recv(TensorSpan data, int from, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "recv");
  check_peer(*this, from, "recv from");
  enqueue({.kind = CollectiveCall::Kind::recv, .root = from, .data = data}, stream);
}

CommunicationBuffer HostCommunicator::allocate(std::size_t bytes) {
  CommunicationBuffer memory;
  CollectiveCall call{.kind = CollectiveCall::Kind::allocate,
                      .data = {.data = nullptr, .count = bytes, .dtype = DType::u8},
                      .allocated = &memory};
  queue_->enter(call);
  queue_->run(call);
  return memory;
}

void HostCommunicator::barrier() {
  CollectiveCall call{.kind = CollectiveCall::Kind::barrier};
  queue_->enter(call);
  queue_->run(call);
}

void HostCommunicator::abort(std::string_view why) noexcept {
  queue_->fail({.kind = Failure::Kind::other,
                .ranks = {},
                .text = fmt::format("rank {} aborted: {}", rank(), why.empty() ? "no reason given" : why)});
}

}  // namespace leat::detail
