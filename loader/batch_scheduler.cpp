#include "loader/batch_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loader/base/checked.h"
#include "loader/errors.h"
#include "loader/ragged_packing.h"
#include "loader/worker.h"

namespace leat {

namespace {

std::size_t max_runs(std::size_t batch_size, std::size_t workers) {
  return divide_up(batch_size, RunSizing::rows_per_run(batch_size, workers));
}

SampleError to_error(const FailureRecord& failure, const BatchTicket& ticket) {
  return {ticket.number, {failure.index, failure.source, failure.type, failure.text, failure.worker}};
}

}  // namespace

BatchScheduler::BatchScheduler(const BatchLayout& layout, std::size_t depth, std::size_t leases,
                               std::size_t workers)
    : table_(layout, {checked_add(depth, leases), max_runs(layout.capacity(), workers), workers}),
      depth_(depth),
      workers_(workers),
      ledger_(table_.slots()) {}

void BatchScheduler::begin_epoch(std::uint64_t epoch, std::shared_ptr<const Sampler> sampler, EpochPlan plan,
                                 std::size_t dataset_size) {
  const std::lock_guard lock(mutex_);
  for (const InFlight& batch : in_flight_) {
    table_.cancel(batch.slot);
    ledger_.drain(batch.slot);
  }
  in_flight_.clear();
  epoch_ = epoch;
  sampler_ = std::move(sampler);
  plan_ = plan;
  dataset_size_ = dataset_size;
  next_batch_ = 0;
  planning_error_ = nullptr;
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
    while (!closed_ && !planning_error_ && next_batch_ < plan_.batches() && in_flight_.size() < depth_ &&
           ledger_.has_free()) {
      publish_next();
    }
  } catch (...) {
    planning_error_ = std::current_exception();
  }
}

void BatchScheduler::publish_next() {
  BatchTicket ticket;
  ticket.epoch = epoch_;
  ticket.number = next_batch_;
  ticket.rows = plan_.rows(next_batch_);
  ticket.rows_per_run = RunSizing::rows_per_run(plan_.batch_size, workers_);
  indices_.resize(ticket.rows);
  sampler_->indices(epoch_, plan_.first(next_batch_), indices_);
  const auto beyond =
      std::find_if(indices_.begin(), indices_.end(), [&](auto index) { return index >= dataset_size_; });
  if (beyond != indices_.end()) {
    throw ArgumentError(fmt::format("the sampler gave index {} in batch {}, but the dataset holds {} samples",
                                    *beyond, ticket.number, dataset_size_));
  }
  const std::size_t slot = ledger_.take();
  std::copy(indices_.begin(), indices_.end(), table_.indices(slot).begin());
  ticket.generation = ++generation_;
  table_.publish(slot, ticket);
  in_flight_.push_back({slot, ticket});
  ++next_batch_;
}

std::optional<BatchScheduler::InFlight> BatchScheduler::take_oldest() {
  const std::lock_guard lock(mutex_);
  publish_more();
  if (in_flight_.empty() && planning_error_) {
    next_batch_ = plan_.batches();  // the epoch cannot go on
    std::rethrow_exception(std::exchange(planning_error_, nullptr));
  }
  if (!oldest_finished()) return std::nullopt;
  const InFlight batch = in_flight_.front();
  in_flight_.pop_front();
  if (const FailureRecord* failure = table_.failure(batch.slot)) {
    const SampleError error = to_error(*failure, batch.ticket);
    table_.clear(batch.slot);
    ledger_.free(batch.slot);
    publish_more();
    throw error;
  }
  table_.clear(batch.slot);
  ledger_.deliver(batch.slot);
  publish_more();
  return batch;
}

std::optional<HostBatch> BatchScheduler::take() {
  const std::optional<InFlight> taken = take_oldest();
  if (!taken) return std::nullopt;
  const auto& [slot, ticket] = *taken;
  HostBatch batch({ticket.epoch, ticket.number, ticket.rows, slot, table_.data(slot),
                   table_.indices(slot).data(), &table_.layout()},
                  shared_from_this());
  // Without the lock: it may move megabytes, and gives the slot back where it throws.
  pack_ragged_fields(table_.layout(), table_.data(slot), ticket.rows, ticket.rows_per_run);
  return batch;
}

bool BatchScheduler::oldest_finished() const {
  return !in_flight_.empty() && table_.finished(in_flight_.front().slot);
}

bool BatchScheduler::ready() const {
  const std::lock_guard lock(mutex_);
  return oldest_finished() || (in_flight_.empty() && planning_error_);
}

bool BatchScheduler::epoch_finished() const {
  const std::lock_guard lock(mutex_);
  return in_flight_.empty() && next_batch_ >= plan_.batches() && !planning_error_;
}

bool BatchScheduler::starved() const {
  const std::lock_guard lock(mutex_);
  return in_flight_.empty() && ledger_.leased() == ledger_.size();
}

std::size_t BatchScheduler::leased() const {
  const std::lock_guard lock(mutex_);
  return ledger_.leased();
}

void BatchScheduler::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void BatchScheduler::release(std::size_t slot) noexcept {
  const std::lock_guard lock(mutex_);
  ledger_.free(slot);
  publish_more();
}

}  // namespace leat
