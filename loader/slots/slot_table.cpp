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

// Of one slot: header, words, progress, indices, columns.
std::array<std::size_t, 5> SlotTable::state_bytes(const BatchLayout& layout, std::size_t runs) {
  return {sizeof(SlotHeader), checked_multiply(runs, sizeof(Word)), checked_multiply(runs, sizeof(Progress)),
          checked_multiply(layout.capacity(), sizeof(std::uint64_t)),
          checked_multiply(layout.column_count(), sizeof(std::byte*))};
}

std::size_t SlotTable::bytes_of_slot(const BatchLayout& layout, std::size_t runs) {
  std::size_t sum = layout.bytes();
  for (const std::size_t bytes : state_bytes(layout, runs)) sum = checked_add(sum, bytes);
  return sum;
}

SlotTable::SlotTable(BatchLayout layout, Dimensions dimensions)
    : layout_(std::move(layout)), dimensions_(dimensions) {
  const std::size_t all = checked_add(dimensions.slots, dimensions.spare);
  Carver carver;
  const std::size_t control = carver.take(sizeof(Control), alignof(Control));
  const std::size_t workers = carver.take(checked_multiply(dimensions.workers, sizeof(WorkerRecord)), 64);
  const std::array<std::size_t, 5> bytes = state_bytes(layout_, dimensions.runs);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    state_[i] = {carver.take(checked_multiply(all, bytes[i]), 64), bytes[i]};
  }
  const std::size_t guard = carver.take(page_size(), page_size());
  data_offset_ = carver.take(checked_multiply(dimensions.slots, layout_.bytes()), page_size());
  const std::size_t gap = carver.take(page_size(), page_size());
  const std::size_t spare = carver.take(checked_multiply(dimensions.spare, layout_.bytes()), page_size());
  const std::size_t end = carver.take(page_size(), page_size());
  spare_data_offset_ = spare - dimensions.slots * layout_.bytes();

  memory_ = SharedMemory("batch slots", carver.used(), Pages::reserved);
  std::vector<Extent> common = extents(0, dimensions.slots);
  common.push_back({0, state_[0].offset});
  memory_.take(common);
  const std::size_t records = checked_add(checked_multiply(all, dimensions.runs), dimensions.workers);
  failure_memory_ =
      SharedMemory("failure records", checked_multiply(records, sizeof(FailureRecord)), Pages::when_touched);
  for (const std::size_t page : {guard, gap, end}) memory_.guard_page(page);

  std::byte* const base = memory_.bytes().data();
  control_ = construct<Control>(base + control, 1);
  control_->active.store(static_cast<std::uint32_t>(dimensions.workers));
  worker_records_ = construct<WorkerRecord>(base + workers, dimensions.workers);
  headers_ = reinterpret_cast<SlotHeader*>(base + state_[0].offset);
  words_ = reinterpret_cast<Word*>(base + state_[1].offset);
  progress_ = reinterpret_cast<Progress*>(base + state_[2].offset);
  indices_ = reinterpret_cast<std::uint64_t*>(base + state_[3].offset);
  columns_ = reinterpret_cast<std::byte**>(base + state_[4].offset);
  failures_ = reinterpret_cast<FailureRecord*>(failure_memory_.bytes().data());
  construct_state(0, dimensions.slots);
}

// What consecutive slots, either common or spare, have their state and their rows in.
std::vector<Extent> SlotTable::extents(std::size_t first, std::size_t last) const {
  std::vector<Extent> extents{{data_offset(first), (last - first) * layout_.bytes()}};
  for (const Part& part : state_) extents.push_back(part.of(first, last));
  return extents;
}

// And opens the slots.
void SlotTable::construct_state(std::size_t first, std::size_t last) {
  const std::size_t runs = (last - first) * dimensions_.runs;
  for (std::size_t slot = first; slot < last; ++slot) {
    new (headers_ + slot) SlotHeader();
    const std::vector<std::byte*> columns = layout_.columns(data(slot));
    std::copy(columns.begin(), columns.end(), columns_ + slot * layout_.column_count());
  }
  for (std::size_t i = 0; i < runs; ++i) {
    new (&word(first, i)) Word();
    new (progress_ + at(first, i)) Progress();
  }
  control_->opened.store(last);
}

bool SlotTable::open_next() {
  const std::size_t next = opened();
  if (next == all_slots() || !memory_.try_take(extents(next, next + 1))) return false;
  construct_state(next, next + 1);
  return true;
}

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

}  // namespace leat
