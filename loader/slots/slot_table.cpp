#include "leat/loader/slots/slot_table.h"

#include <utility>

#include "leat/loader/os/futex.h"
#include "leat/loader/slots/slot_table_shared.h"

namespace leat::detail {

std::size_t SlotTable::opened() const {
  return control_->opened.load();
}

std::span<std::byte* const> SlotTable::columns(std::size_t slot) const noexcept {
  return {columns_ + slot * layout_.column_count(), layout_.column_count()};
}

std::span<std::uint64_t> SlotTable::indices(std::size_t slot) const noexcept {
  return {indices_ + slot * layout_.capacity(), layout_.capacity()};
}

std::span<std::byte> SlotTable::slot_memory() const noexcept {
  if (layout_.schema().ragged_fields() != 0) return {};
  return {data(0), dimensions_.slots * layout_.bytes()};
}

FailureRecord& SlotTable::worker_failure(std::size_t worker) const {
  return failures_[all_slots() * dimensions_.runs + worker];
}

std::vector<Claim> SlotTable::held_by(std::size_t worker) const {
  std::vector<Claim> held;
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t run = 0; run < dimensions_.runs; ++run) {
      const std::uint64_t seen = word(slot, run).load();
      const ClaimWord claim = ClaimWord::unpack(seen);
      if (claim.state == RunState::claimed && claim.worker == worker) held.push_back({slot, run, seen});
    }
  }
  return held;
}

void SlotTable::announce_work() {
  control_->work_sequence.fetch_add(1);
  if (control_->sleepers.load() > 0) futex_wake_all(control_->work_sequence);
}

// --- the parent

void SlotTable::publish(std::size_t slot, const BatchTicket& ticket) {
  SlotHeader& header = headers_[slot];
  header.ticket = ticket;
  header.runs.store(static_cast<std::uint32_t>(ticket.runs()), std::memory_order_relaxed);
  header.next_run.store(0, std::memory_order_relaxed);
  const std::uint64_t ready = ClaimWord{RunState::ready, 0, kAnyWorker, ticket.generation}.pack();
  for (std::size_t run = 0; run < ticket.runs(); ++run) {
    const auto first = static_cast<std::uint32_t>(ticket.first_row(run));
    progress_[at(slot, run)].row.store(first, std::memory_order_relaxed);
    word(slot, run).store(ready, std::memory_order_release);
  }
  header.generation.store(ticket.generation);
  announce_work();
}

bool SlotTable::finished(std::size_t slot) const {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    if (ClaimWord::unpack(word(slot, run).load()).unfinished()) return false;
  }
  return true;
}

// The generation goes first: see reopen() in slot_table_claims.cpp. A ready word may change under the swap, and
// still be ready: the fork server may be giving to all what it had left to one. Nobody would ever claim it then.
void SlotTable::cancel(std::size_t slot) {
  headers_[slot].generation.store(0);
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    std::uint64_t seen = word(slot, run).load();
    while (ClaimWord::unpack(seen).state == RunState::ready) {
      if (word(slot, run).compare_exchange_strong(seen, 0)) break;
    }
  }
}

void SlotTable::clear(std::size_t slot) {
  headers_[slot].generation.store(0);
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) word(slot, run).store(0, std::memory_order_relaxed);
}

std::optional<std::size_t> SlotTable::failed_run(std::size_t slot) const {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    if (ClaimWord::unpack(word(slot, run).load()).state == RunState::failed) return run;
  }
  return std::nullopt;
}

const FailureRecord& SlotTable::failure(std::size_t slot, std::size_t run) const {
  return failures_[at(slot, run)];
}

void SlotTable::reopen_after_failure(std::size_t slot, std::size_t run) {
  const BatchTicket& ticket = headers_[slot].ticket;
  Progress& progress = progress_[at(slot, run)];
  const std::size_t next = progress.row.load(std::memory_order_relaxed) + std::size_t{1};
  progress.row.store(static_cast<std::uint32_t>(next), std::memory_order_relaxed);
  const RunState state = next < ticket.last_row(run) ? RunState::ready : RunState::done;
  word(slot, run).store(ClaimWord{state, 0, kAnyWorker, ticket.generation}.pack());
  announce_work();
}

void SlotTable::restart() {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t run = 0; run < dimensions_.runs; ++run) {
      if (ClaimWord::unpack(word(slot, run).load()).state == RunState::claimed) word(slot, run).store(0);
    }
  }
  for (std::size_t worker = 0; worker < dimensions_.workers; ++worker) {
    worker_records_[worker].pid.store(0);
    worker_records_[worker].starts.store(0);
  }
  control_->stop.store(0);
  set_active(dimensions_.workers);
}

RunTiming SlotTable::timing(std::size_t slot, std::size_t run) const {
  return progress_[at(slot, run)].timing;
}

void SlotTable::set_active(std::size_t workers) {
  control_->active.store(static_cast<std::uint32_t>(workers));
  futex_wake_all(control_->active);
}

std::size_t SlotTable::active() const {
  return control_->active.load(std::memory_order_relaxed);
}

void SlotTable::stop() {
  control_->stop.store(1);
  set_active(dimensions_.workers + 1);  // another value than any before: nobody parks any more
  announce_work();
}

void SlotTable::await() const {
  control_->awaited.store(1);
}

std::uint64_t SlotTable::ns_per_sample() const {
  return control_->ns_per_sample.load(std::memory_order_relaxed);
}

}  // namespace leat::detail
