#include "loader/slots/slot_table.h"

#include <new>
#include <utility>

#include "loader/base/checked.h"
#include "loader/base/futex.h"
#include "loader/base/memory_limits.h"
#include "loader/slots/slot_table_shared.h"

namespace leat {

namespace {

// Hands out consecutive, aligned parts of one region.
class Carver {
 public:
  std::size_t take(std::size_t bytes, std::size_t alignment) {
    const std::size_t offset = align_up(used_, alignment);
    used_ = checked_add(offset, bytes);
    return offset;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  std::size_t used_ = 0;
};

template <class T>
T* construct(std::byte* at, std::size_t count) {
  T* const first = reinterpret_cast<T*>(at);
  for (std::size_t i = 0; i < count; ++i) new (first + i) T();
  return first;
}

}  // namespace

SlotTable::SlotTable(BatchLayout layout, Dimensions dimensions)
    : layout_(std::move(layout)), dimensions_(dimensions) {
  const std::size_t slots = dimensions.slots;
  const std::size_t all_runs = checked_multiply(slots, dimensions.runs);
  const std::size_t all_rows = checked_multiply(slots, layout_.capacity());
  const std::size_t records = checked_add(all_runs, dimensions.workers);
  Carver carver;
  const std::size_t control = carver.take(sizeof(Control), alignof(Control));
  const std::size_t headers = carver.take(checked_multiply(slots, sizeof(SlotHeader)), alignof(SlotHeader));
  const std::size_t words = carver.take(checked_multiply(all_runs, sizeof(Word)), 64);
  const std::size_t progress = carver.take(checked_multiply(all_runs, sizeof(Progress)), 64);
  const std::size_t indices = carver.take(checked_multiply(all_rows, sizeof(std::uint64_t)), 64);
  const std::size_t workers = carver.take(checked_multiply(dimensions.workers, sizeof(WorkerRecord)), 64);
  const std::size_t guard = carver.take(page_size(), page_size());
  const std::size_t data = carver.take(checked_multiply(slots, layout_.bytes()), page_size());
  const std::size_t end = carver.take(page_size(), page_size());

  memory_ = SharedMemory("batch slots", carver.used());
  failure_memory_ =
      SharedMemory("failure records", checked_multiply(records, sizeof(FailureRecord)), Pages::when_touched);
  std::byte* const base = memory_.bytes().data();
  control_ = construct<Control>(base + control, 1);
  control_->active.store(static_cast<std::uint32_t>(dimensions.workers));
  headers_ = construct<SlotHeader>(base + headers, slots);
  words_ = construct<Word>(base + words, all_runs);
  progress_ = construct<Progress>(base + progress, all_runs);
  indices_ = construct<std::uint64_t>(base + indices, all_rows);
  worker_records_ = construct<WorkerRecord>(base + workers, dimensions.workers);
  failures_ = reinterpret_cast<FailureRecord*>(failure_memory_.bytes().data());
  memory_.guard_page(guard);
  memory_.guard_page(end);
  slot_data_ = base + data;
  for (std::size_t slot = 0; slot < slots; ++slot) columns_.push_back(layout_.columns(this->data(slot)));
}

std::span<std::uint64_t> SlotTable::indices(std::size_t slot) const noexcept {
  return {indices_ + slot * layout_.capacity(), layout_.capacity()};
}

std::span<std::byte> SlotTable::slot_memory() const noexcept {
  return {slot_data_, dimensions_.slots * layout_.bytes()};
}

FailureRecord& SlotTable::worker_failure(std::size_t worker) const {
  return failures_[dimensions_.slots * dimensions_.runs + worker];
}

std::vector<Claim> SlotTable::held_by(std::size_t worker) const {
  std::vector<Claim> held;
  for (std::size_t slot = 0; slot < dimensions_.slots; ++slot) {
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
// still be ready: the nursery may be giving to all what it had left to one. Nobody would ever claim it then.
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
  for (std::size_t slot = 0; slot < dimensions_.slots; ++slot) {
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

}  // namespace leat
