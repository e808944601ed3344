#include "leat/transfer/prefetch/prefetch_pump.h"

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "leat/loader/errors.h"
#include "leat/loader/os/service_thread.h"

namespace leat::detail {

using Step = PrefetchSchedule::Step;
using Fill = PrefetchSchedule::Fill;

PrefetchPump::PrefetchPump(BatchSource source, std::span<const std::byte> pinned,
                           std::shared_ptr<BatchPool> pool)
    : source_(std::move(source)),
      leases_while_pulling_(source_.max_held_batches > 1 ? 1 : 0),
      pool_(std::move(pool)),
      device_(pool_->device()),
      pinned_(pinned),
      bounce_buffers_(device_, source_.layout.bytes()),
      copy_stream_(device_.make_stream()),
      thread_(start_service_thread("leat-prefetch", [this] { run(); })) {}

PrefetchPump::~PrefetchPump() {
  pool_->close();
  thread_.join();
}

void PrefetchPump::run() noexcept {
  std::exception_ptr failure;
  try {
    while (step()) {
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) pool_->fail(std::move(failure));
  drop_all_leases();
}

bool PrefetchPump::step() {
  PrefetchSchedule::Command command = pool_->next_command();
  if (command.step == Step::wait) {
    drop_leases(0);
    command = pool_->wait_for_command();
  }
  if (command.step == Step::start_epoch) start_epoch(command);
  if (command.step == Step::pull) pull(command.generation);
  return command.step != Step::stop;
}

// Errors are delivered after their catch clause has ended, so that the consumer holds the only reference to them.

void PrefetchPump::start_epoch(const PrefetchSchedule::Command& command) {
  drop_leases(leases_while_pulling_);
  std::exception_ptr error;
  try {
    source_.start_epoch(command.epoch);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) pool_->deliver_error(command.generation, std::move(error), false);
}

void PrefetchPump::pull(std::uint64_t generation) {
  drop_leases(leases_while_pulling_);
  std::optional<HostBatch> batch;
  std::exception_ptr error;
  bool epoch_goes_on = false;
  try {
    const ProfilerRange range(device_, "leat: wait for a batch to be loaded");
    batch = source_.next();
  } catch (const SampleError&) {
    error = std::current_exception();
    epoch_goes_on = true;
  } catch (...) {
    error = std::current_exception();
  }
  if (batch) {
    place(std::move(*batch), generation);
  } else if (error) {
    pool_->deliver_error(generation, std::move(error), epoch_goes_on);
  } else {
    pool_->deliver_end(generation);
  }
}

void PrefetchPump::place(HostBatch batch, std::uint64_t generation) {
  Fill decision = pool_->begin_fill(generation);
  if (decision.kind == Fill::Kind::wait) {
    drop_leases(0);
    decision = pool_->wait_to_fill(generation);
  }
  if (decision.kind == Fill::Kind::discard) return;
  fill(decision.buffer, std::move(batch));
  pool_->finish_fill(decision.buffer);
}

void PrefetchPump::fill(std::size_t index, HostBatch batch) {
  const ProfilerRange range(device_, "leat: enqueue a batch's copy");
  BatchPool::Buffer& buffer = (*pool_)[index];
  buffer.rows = batch.size();
  buffer.epoch = batch.epoch();
  buffer.number = batch.number();
  if (source_.state) buffer.state = source_.state();
  buffer.indices.assign(batch.indices().begin(), batch.indices().end());

  device_.wait(copy_stream_, buffer.released);
  copy(buffer, index, std::move(batch));
  device_.record(buffer.copied, copy_stream_);
  pool_->layout().normalize(buffer.memory.data(), buffer.rows, copy_stream_);
  device_.record(buffer.ready, copy_stream_);
}

void PrefetchPump::copy(BatchPool::Buffer& buffer, std::size_t index, HostBatch batch) {
  const std::span<std::byte> slot = batch.bytes();
  if (!is_pinned(slot)) return bounce_buffers_.copy(buffer.memory.data(), slot, copy_stream_);
  leases_.push_back({std::move(batch), index});  // before the copy, which uses the slot from its start
  device_.copy(buffer.memory.data(), slot.data(), slot.size(), copy_stream_);
}

bool PrefetchPump::is_pinned(std::span<const std::byte> slot) const noexcept {
  if (!device_.needs_pinned_memory()) return true;
  const std::less_equal<> before;
  return before(pinned_.data(), slot.data()) &&
         before(slot.data() + slot.size(), pinned_.data() + pinned_.size());
}

void PrefetchPump::drop_leases(std::size_t keep) {
  while (leases_.size() > keep) {
    device_.synchronize((*pool_)[leases_.front().buffer].copied);
    leases_.pop_front();
  }
}

void PrefetchPump::drop_all_leases() noexcept {
  // Do not wait for the events: if recording one failed, the copy before it may still be running.
  try {
    device_.synchronize(copy_stream_);
  } catch (...) {
    static_cast<void>(0);  // the pool already has the failure, or its consumer is gone
  }
  leases_.clear();
}

}  // namespace leat::detail
