#include "leat/transfer/prefetch/prefetch_pump.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "leat/loader/errors.h"
#include "leat/loader/os/service_thread.h"

namespace leat::detail {

using Step = PrefetchSchedule::Step;
using Fill = PrefetchSchedule::Fill;

PrefetchPump::PrefetchPump(BatchSource source, const PinnedMemory& pinned, std::shared_ptr<BatchPool> pool,
                           std::vector<int> cpus)
    : source_(std::move(source)),
      leases_while_pulling_(source_.max_held_batches > 1 ? 1 : 0),
      pool_(std::move(pool)),
      restriction_(std::move(cpus)) {
  const BatchDivision& division = pool_->division();
  for (std::size_t i = 0; i < division.devices().size(); ++i)
    senders_.emplace_back(*division.devices()[i], division.layout(i), division.transforms(i), pool_->meter(i),
                          pinned);
  thread_ = start_service_thread("leat-prefetch", [this] { run(); });
}

PrefetchPump::~PrefetchPump() {
  pool_->close();
  thread_.join();
}

void PrefetchPump::run() noexcept {
  restriction_.apply();
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
    const CpuRestriction::Lifted lifted(restriction_);
    source_.start_epoch(command.epoch);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) pool_->deliver_error(command.generation, std::move(error), false);
}

void PrefetchPump::pull(std::uint64_t generation) {
  drop_leases(leases_while_pulling_);
  std::optional<PulledBatch> pulled;
  std::exception_ptr error;
  bool epoch_goes_on = false;
  try {
    const ProfilerRange range(first_device(), "leat: wait for a batch to be loaded");
    if (std::optional<HostBatch> batch = next_of_source()) {
      std::vector<DevicePart> parts = divide(*batch);
      pulled.emplace(PulledBatch{std::move(*batch), std::move(parts)});
    }
  } catch (const SampleError&) {
    error = std::current_exception();
    epoch_goes_on = true;
  } catch (...) {
    error = std::current_exception();
  }
  if (pulled) {
    place(std::move(*pulled), generation);
  } else if (error) {
    pool_->deliver_error(generation, std::move(error), epoch_goes_on);
  } else {
    pool_->deliver_end(generation);
  }
}

std::optional<HostBatch> PrefetchPump::next_of_source() {
  const CpuRestriction::Lifted lifted(restriction_);
  return source_.next();
}

std::vector<DevicePart> PrefetchPump::divide(const HostBatch& batch) const {
  if (batch.size() == 0) {
    throw ArgumentError(fmt::format("batch {} of epoch {} has no rows, so no device gets any", batch.number(),
                                    batch.epoch()));
  }
  const BatchDivision& division = pool_->division();
  const std::vector<RowRange> chunks = division.chunks(batch.size());
  std::vector<DevicePart> parts;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    parts.push_back(division.layout(i).part_of(batch, chunks[i]));
  return parts;
}

void PrefetchPump::place(PulledBatch batch, std::uint64_t generation) {
  Fill decision = pool_->begin_fill(generation);
  if (decision.kind == Fill::Kind::wait) {
    drop_leases(0);
    decision = pool_->wait_to_fill(generation);
  }
  if (decision.kind == Fill::Kind::discard) return;
  fill(decision.buffer, std::move(batch));
  pool_->finish_fill(decision.buffer);
}

void PrefetchPump::fill(std::size_t index, PulledBatch pulled) {
  const ProfilerRange range(first_device(), "leat: enqueue a batch's copy");
  BatchPool::Buffer& buffer = (*pool_)[index];
  const HostBatch& batch = leases_.emplace_back(Lease{std::move(pulled.batch), index}).batch;
  buffer.epoch = batch.epoch();
  buffer.number = batch.number();
  if (source_.state) buffer.state = source_.state();
  buffer.indices.assign(batch.indices().begin(), batch.indices().end());
  BatchSender::Copied copied;
  for (std::size_t i = 0; i < buffer.parts.size(); ++i) {
    BatchPool::Part& part = buffer.parts[i];
    part.extent = std::move(pulled.parts[i]);
    pool_->meter(i).drop_copy(std::exchange(part.copy, std::nullopt));
    if (!pool_->division().holds_any(i, part.extent.rows)) continue;
    const BatchSender::Copied sent = senders_[i].send(batch, part);
    copied.is_direct |= sent.is_direct;
    copied.is_bounced |= sent.is_bounced;
  }
  (copied.is_bounced ? bounced_ : direct_).fetch_add(1, std::memory_order_relaxed);
  if (!copied.is_direct) leases_.pop_back();
}

void PrefetchPump::drop_leases(std::size_t keep) {
  while (leases_.size() > keep) {
    for (const BatchPool::Part& part : (*pool_)[leases_.front().buffer].parts)
      part.copied.ref().device().synchronize(part.copied);
    leases_.pop_front();
  }
}

void PrefetchPump::drop_all_leases() noexcept {
  // Not by the events: if recording one failed, the copy before it may still be running.
  senders_.clear();  // which waits for their copies
  leases_.clear();
}

Device& PrefetchPump::first_device() const noexcept {
  return *pool_->division().devices().front();
}

}  // namespace leat::detail
