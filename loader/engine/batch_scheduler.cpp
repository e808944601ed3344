#include "leat/loader/engine/batch_scheduler.h"

#include <algorithm>
#include <span>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/loader/errors.h"
#include "leat/loader/slots/chunk_sizing.h"
#include "leat/loader/slots/ragged_packing.h"

namespace leat::detail {

namespace {

constexpr std::size_t kSparePerCommon = 15;   // spare slots per batch in flight, at most
constexpr std::size_t kShareOfAvailable = 5;  // spare slots may take a fifth of the available memory

std::size_t spare_slots(const SchedulerOptions& options, std::size_t bytes_of_slot) {
  if (options.reorder_bytes == 0) return 0;
  const std::size_t bytes = std::min(options.reorder_bytes, available_memory() / kShareOfAvailable);
  return std::min(bytes / bytes_of_slot, checked_multiply(kSparePerCommon, options.depth));
}

SlotTable::Dimensions dimensions_of(const BatchLayout& layout, const SchedulerOptions& options) {
  const std::size_t chunks = ChunkSizing::max_chunks(layout.capacity(), options.workers);
  return {checked_add(options.depth, options.max_held_batches), chunks, options.workers,
          spare_slots(options, SlotTable::bytes_of_slot(layout, chunks)), options.forks};
}

}  // namespace

BatchScheduler::BatchScheduler(const BatchLayout& layout, const SchedulerOptions& options,
                               std::shared_ptr<Trace> trace)
    : table_(layout, dimensions_of(layout, options)),
      options_(options),
      ledger_(table_.slots()),
      bad_samples_(options_.bad_sample_limit),
      planner_(layout.capacity()),
      trace_(std::move(trace), table_) {}

void BatchScheduler::begin_epoch(EpochStart start) {
  const std::lock_guard lock(mutex_);
  for (const InFlight& batch : in_flight_) {
    table_.cancel(batch.slot);
    ledger_.drain(batch.slot);
  }
  in_flight_.clear();
  deliveries_ = start.done;
  batches_delivered_ = samples_delivered_ = 0;
  planning_error_ = nullptr;
  planner_.begin(std::move(start));
  bad_samples_.begin_epoch();
  publish_more();
}

void BatchScheduler::sweep_draining() {
  for (const std::size_t slot : ledger_.draining()) {
    if (!table_.finished(slot)) continue;
    table_.clear(slot);
    ledger_.free(slot);
  }
}

void BatchScheduler::publish_more() {
  sweep_draining();
  try {
    while (!closed_ && !planning_error_ && !planner_.at_end() && has_room()) publish_next();
  } catch (...) {
    planning_error_ = std::current_exception();
  }
}

bool BatchScheduler::has_room() {
  if (in_flight_.size() < options_.depth) return ledger_.has_common();
  return may_run_ahead() && (ledger_.has_free() || open_spare_slot());
}

// At least one worker loads the oldest batch. Each of the other workers should have an unfinished batch of its own.
bool BatchScheduler::may_run_ahead() const {
  if (!table_.has_spare() || finished(in_flight_.front())) return false;
  const std::size_t wanted = table_.active() - 1;
  std::size_t unfinished = 0;
  for (std::size_t i = in_flight_.size(); i-- > 1 && unfinished < wanted;) {
    unfinished += finished(in_flight_[i]) ? 0 : 1;
  }
  return unfinished < wanted;
}

bool BatchScheduler::open_spare_slot() {
  const std::size_t slot = table_.opened();
  may_open_ = may_open_ && table_.open_next();  // after one failure, no further attempt is made
  if (!may_open_) return false;
  ledger_.add_spare();
  trace_.opened(slot);
  return true;
}

bool BatchScheduler::finished(const InFlight& batch) const {
  batch.seen_finished = batch.seen_finished || table_.finished(batch.slot);
  return batch.seen_finished;
}

void BatchScheduler::publish_next() {
  const std::vector<std::uint64_t>& indices = planner_.indices();
  BatchDescriptor descriptor;
  descriptor.epoch = planner_.epoch();
  descriptor.number = planner_.number();
  descriptor.rows = indices.size();
  descriptor.rows_per_chunk =
      ChunkSizing::rows_per_chunk(descriptor.rows, table_.active(), table_.ns_per_sample());
  const std::size_t slot = ledger_.take();
  std::copy(indices.begin(), indices.end(), table_.indices(slot).begin());
  descriptor.generation = ++generation_;
  table_.publish(slot, descriptor);
  in_flight_.push_back({slot, descriptor, {}, steady_ns(), false});
  planner_.advance();
}

std::optional<HostBatch> BatchScheduler::take() {
  const std::optional<InFlight> taken = take_ready();
  if (!taken) return std::nullopt;
  const auto& descriptor = taken->descriptor;
  std::byte* const data = table_.data(taken->slot);
  const std::span<std::uint64_t> indices = table_.indices(taken->slot);
  HostBatch batch({.epoch = descriptor.epoch,
                   .number = descriptor.number,
                   .rows = rows_of(*taken),
                   .slot = taken->slot,
                   .data = data,
                   .indices = indices.data(),
                   .layout = &table_.layout(),
                   .batched = options_.batched},
                  shared_from_this());
  // This runs without the lock, since it may move megabytes. If it throws, ~HostBatch() returns the slot, which takes
  // the lock.
  pack_ragged_fields(table_.layout(), data, descriptor.rows, descriptor.rows_per_chunk,
                     table_.ragged_memory());
  if (options_.on_bad_sample == SampleErrorPolicy::skip) {
    remove_rows(table_.layout(), data, indices.first(descriptor.rows), taken->bad_rows);
  } else {
    substitute_rows(table_.layout(), data, indices.first(descriptor.rows), taken->bad_rows,
                    table_.ragged_memory());
  }
  return batch;
}

std::size_t BatchScheduler::rows_of(const InFlight& batch) const {
  const bool skip = options_.on_bad_sample == SampleErrorPolicy::skip;
  return batch.descriptor.rows - (skip ? batch.bad_rows.size() : 0);
}

std::optional<BatchScheduler::InFlight> BatchScheduler::take_ready() {
  const std::lock_guard lock(mutex_);
  publish_more();
  if (in_flight_.empty() && planning_error_) {
    planner_.end();  // the epoch cannot continue
    std::rethrow_exception(std::exchange(planning_error_, nullptr));
  }
  for (Flight batch = deliverable(); batch != in_flight_.end(); batch = deliverable()) {
    if (options_.on_bad_sample == SampleErrorPolicy::raise) {
      if (const auto chunk = table_.failed_chunk(batch->slot)) raise(batch, *chunk);
    }
    if (!settle(*batch)) continue;  // some of its rows were returned to the workers
    if (batch->bad_rows.size() < batch->descriptor.rows) return deliver(batch);
    recycle(batch);  // all of its rows are bad
  }
  return std::nullopt;
}

BatchScheduler::Flight BatchScheduler::deliverable() {
  if (all_leased()) return in_flight_.end();
  const auto finished = [this](const InFlight& batch) { return this->finished(batch); };
  if (!options_.in_order) return std::find_if(in_flight_.begin(), in_flight_.end(), finished);
  return !in_flight_.empty() && finished(in_flight_.front()) ? in_flight_.begin() : in_flight_.end();
}

// A worker stops loading a chunk at a bad row. Setting that row aside returns the rows after it to the workers.
// Returns whether the batch is complete: finished, and without a failed chunk. The second condition is needed because
// workers may load the returned rows in the meantime and find another bad one.
bool BatchScheduler::settle(InFlight& batch) {
  while (const auto chunk = table_.failed_chunk(batch.slot)) set_aside(batch, *chunk);
  return finished(batch) && !table_.failed_chunk(batch.slot);
}

void BatchScheduler::set_aside(InFlight& batch, std::size_t chunk) {
  const FailureRecord& failure = table_.failure(batch.slot, chunk);
  batch.bad_rows.push_back(failure.row);
  BadSample bad{planner_.epoch(), batch.descriptor.number, origin_of(failure)};
  empty_ragged_row(table_.layout(), table_.data(batch.slot), batch.descriptor.first_row(chunk), failure.row);
  table_.reopen_after_failure(batch.slot, chunk);
  batch.seen_finished = false;
  bad_samples_.add(std::move(bad), planner_.samples());
}

void BatchScheduler::raise(const Flight& batch, std::size_t chunk) {
  const SampleError error(batch->descriptor.number, origin_of(table_.failure(batch->slot, chunk)));
  recycle(batch);
  throw error;
}

SampleError::Origin BatchScheduler::origin_of(const FailureRecord& failure) const {
  const std::span frames(failure.stack.data(), failure.stack_frames);
  return {failure.index,
          failure.source,
          failure.type,
          failure.text,
          failure.worker,
          static_cast<int>(failure.deaths),
          frames.empty() ? "" : describe_frames(frames)};
}

BatchScheduler::InFlight BatchScheduler::deliver(const Flight& batch) {
  InFlight taken = std::move(*batch);
  std::sort(taken.bad_rows.begin(), taken.bad_rows.end());
  deliveries_.delivered(taken.descriptor.number, taken.descriptor.rows);
  ++batches_delivered_;
  samples_delivered_ += rows_of(taken);
  trace_.delivered(taken.slot, taken.descriptor, taken.published_ns);
  in_flight_.erase(batch);
  table_.clear(taken.slot);
  ledger_.deliver(taken.slot);
  if (!workers_rest()) publish_more();
  return taken;
}

// Tells whether every batch in flight is ready, so that the workers sleep. Waking them takes longer than everything
// else that next() does. The next batch is published when the batch delivered now is released.
bool BatchScheduler::workers_rest() const {
  return !in_flight_.empty() && std::all_of(in_flight_.begin(), in_flight_.end(),
                                            [this](const InFlight& batch) { return finished(batch); });
}

void BatchScheduler::recycle(const Flight& batch) {
  const std::size_t slot = batch->slot;
  deliveries_.delivered(batch->descriptor.number, batch->descriptor.rows);
  in_flight_.erase(batch);
  table_.clear(slot);
  ledger_.free(slot);
  publish_more();
}

// Publishes, and so checks the draining slots, too: the end of a draining slot's last chunk is signaled once to a
// waiting parent, and not again. If all slots are draining or leased, no other signal would ever come.
bool BatchScheduler::ready() {
  const std::lock_guard lock(mutex_);
  publish_more();
  return deliverable() != in_flight_.end() || (in_flight_.empty() && planning_error_);
}

bool BatchScheduler::epoch_finished() const {
  const std::lock_guard lock(mutex_);
  return in_flight_.empty() && planner_.at_end() && !planning_error_;
}

bool BatchScheduler::starved() const {
  const std::lock_guard lock(mutex_);
  return all_leased();
}

std::size_t BatchScheduler::leased() const {
  const std::lock_guard lock(mutex_);
  return ledger_.leased();
}

DeliveryLog BatchScheduler::deliveries() const {
  const std::lock_guard lock(mutex_);
  return deliveries_;
}

LoaderState::Earlier BatchScheduler::earlier() const {
  const std::lock_guard lock(mutex_);
  return planner_.earlier();
}

std::size_t BatchScheduler::epoch_batches() const {
  const std::lock_guard lock(mutex_);
  return planner_.batches();
}

SchedulerCounts BatchScheduler::counts() const {
  const std::lock_guard lock(mutex_);
  const auto finished = [this](const InFlight& batch) { return this->finished(batch); };
  return {.batches = batches_delivered_,
          .samples = samples_delivered_,
          .slots = ledger_.size(),
          .slots_leased = ledger_.leased(),
          .in_flight = in_flight_.size(),
          .ready = static_cast<std::size_t>(std::count_if(in_flight_.begin(), in_flight_.end(), finished))};
}

std::size_t BatchScheduler::bad_sample_count() const {
  const std::lock_guard lock(mutex_);
  return bad_samples_.count();
}

std::vector<BadSample> BatchScheduler::bad_samples() const {
  const std::lock_guard lock(mutex_);
  return bad_samples_.kept();
}

void BatchScheduler::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void BatchScheduler::release(std::size_t slot) noexcept {
  if (in_another_process()) return;
  const std::lock_guard lock(mutex_);
  trace_.released(slot);
  ledger_.free(slot);
  publish_more();
  if (!closed_ && !planning_error_) planner_.plan_ahead();  // so that next() does not have to
}

}  // namespace leat::detail
