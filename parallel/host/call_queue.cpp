#include "leat/parallel/host/call_queue.h"

#include <fmt/format.h>

#include <utility>

#include "leat/parallel/host/call_checks.h"

namespace leat::detail {

// The engine's own timeout should come first, because its message says more. The queue's timeout is for calls that
// never reached the engine. Hence it is twice as long.
CallQueue::CallQueue(std::unique_ptr<HostEngine> engine, std::chrono::milliseconds timeout)
    : engine_(engine.release()),
      patience_(2 * timeout),
      exchanges_(static_cast<std::size_t>(engine_->size())) {}

void CallQueue::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void CallQueue::throw_if_failed() {
  check_process(engine_.get_deleter().owner(), "this communicator");
  const std::lock_guard lock(mutex_);
  throw_failure();
}

void CallQueue::enter(CollectiveCall& call) {
  check_process(engine_.get_deleter().owner(), "this communicator");
  const std::lock_guard lock(mutex_);
  throw_failure();
  call.turn = entered_++;
  call.number = is_exchange(call) ? exchanges_[static_cast<std::size_t>(call.root)]++ : collectives_++;
}

void CallQueue::begin(const CollectiveCall& call) {
  std::unique_lock lock(mutex_);
  while (true) {
    throw_failure();
    if (turn_ == call.turn) break;
    if (runs_) {
      changed_.wait(lock);
      continue;
    }
    const std::uint64_t seen = turn_;
    const bool moved = changed_.wait_for(lock, patience_, [&] { return turn_ != seen || runs_ || failure_; });
    if (!moved) {
      throw CommunicationError(fmt::format(
          "rank {}: {} waited {} ms for an earlier call of this rank, whose stream did not reach it",
          engine_->rank(), describe(call), patience_.count()));
    }
  }
  runs_ = true;
  changed_.notify_all();  // the others wait as long as it takes
}

void CallQueue::end() {
  const std::lock_guard lock(mutex_);
  ++turn_;
  runs_ = false;
  changed_.notify_all();
}

void CallQueue::run(const CollectiveCall& call) {
  try {
    begin(call);
    engine_->run(call);
  } catch (const std::exception& error) {
    fail(failure_of(error));
    throw;
  }
  end();
}

void CallQueue::fail(const Failure& why) noexcept {
  if (!engine_.get_deleter().owner().is_current()) return;  // or it would end the parent's communicator
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = make_exception(why);
    changed_.notify_all();
  }
  engine_->abort(why);
}

}  // namespace leat::detail
