#include "loader/slot_table.h"

#include <algorithm>
#include <new>
#include <utility>

#include "loader/base/checked.h"
#include "loader/base/futex.h"
#include "loader/base/memory_limits.h"

namespace leat {

struct SlotTable::Control {
  alignas(64) std::atomic<std::uint32_t> work_sequence{0};  // the futex that workers sleep on
  std::atomic<std::uint32_t> sleepers{0};  // at least as many as sleep; a killed one stays counted
  std::atomic<std::uint32_t> stop{0};
  alignas(64) mutable std::atomic<std::uint32_t> awaited{0};  // the parent sleeps, or is about to
};

struct alignas(64) SlotTable::SlotHeader {
  std::atomic<std::uint64_t> generation{0};  // of the batch to be claimed from; 0: none
  std::atomic<std::uint32_t> runs{0};
  std::atomic<std::uint32_t> next_run{0};  // hint: the runs below are taken
  BatchTicket ticket;                      // see invariant 1
};

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
  const std::size_t indices = carver.take(checked_multiply(all_rows, sizeof(std::uint64_t)), 64);
  const std::size_t failures = carver.take(checked_multiply(records, sizeof(FailureRecord)), 64);
  const std::size_t guard = carver.take(page_size(), page_size());
  const std::size_t data = carver.take(checked_multiply(slots, layout_.bytes()), page_size());

  memory_ = SharedMemory("batch slots", carver.used());
  std::byte* const base = memory_.bytes().data();
  control_ = construct<Control>(base + control, 1);
  headers_ = construct<SlotHeader>(base + headers, slots);
  words_ = construct<Word>(base + words, all_runs);
  indices_ = construct<std::uint64_t>(base + indices, all_rows);
  failures_ = construct<FailureRecord>(base + failures, records);
  memory_.guard_page(guard);
  slot_data_ = base + data;
  for (std::size_t slot = 0; slot < slots; ++slot) columns_.push_back(layout_.columns(this->data(slot)));
}

std::span<std::uint64_t> SlotTable::indices(std::size_t slot) const noexcept {
  return {indices_ + slot * layout_.capacity(), layout_.capacity()};
}

std::span<std::byte> SlotTable::slot_memory() const noexcept {
  return memory_.bytes().subspan(static_cast<std::size_t>(slot_data_ - memory_.bytes().data()));
}

// --- the parent

void SlotTable::publish(std::size_t slot, const BatchTicket& ticket) {
  SlotHeader& header = headers_[slot];
  header.ticket = ticket;
  header.runs.store(static_cast<std::uint32_t>(ticket.runs()), std::memory_order_relaxed);
  header.next_run.store(0, std::memory_order_relaxed);
  const std::uint64_t ready = ClaimWord{RunState::ready, 0, ticket.generation}.pack();
  for (std::size_t run = 0; run < ticket.runs(); ++run)
    word(slot, run).store(ready, std::memory_order_release);
  header.generation.store(ticket.generation, std::memory_order_release);
  announce_work();
}

void SlotTable::announce_work() {
  control_->work_sequence.fetch_add(1);
  if (control_->sleepers.load() > 0) futex_wake_all(control_->work_sequence);
}

bool SlotTable::finished(std::size_t slot) const {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    if (ClaimWord::unpack(word(slot, run).load()).unfinished()) return false;
  }
  return true;
}

void SlotTable::cancel(std::size_t slot) {
  headers_[slot].generation.store(0, std::memory_order_relaxed);
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    std::uint64_t seen = word(slot, run).load();
    if (ClaimWord::unpack(seen).state == RunState::ready) word(slot, run).compare_exchange_strong(seen, 0);
  }
}

void SlotTable::clear(std::size_t slot) {
  headers_[slot].generation.store(0, std::memory_order_relaxed);
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) word(slot, run).store(0, std::memory_order_relaxed);
}

const FailureRecord* SlotTable::failure(std::size_t slot) const {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = 0; run < runs; ++run) {
    if (ClaimWord::unpack(word(slot, run).load()).state == RunState::failed) {
      return &failures_[slot * dimensions_.runs + run];
    }
  }
  return nullptr;
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

FailureRecord& SlotTable::worker_failure(std::size_t worker) const {
  return failures_[dimensions_.slots * dimensions_.runs + worker];
}

void SlotTable::stop() {
  control_->stop.store(1);
  announce_work();
}

void SlotTable::await() const {
  control_->awaited.store(1);
}

// --- the workers

std::uint32_t SlotTable::work_sequence() const {
  return control_->work_sequence.load();
}

bool SlotTable::stopping() const {
  return control_->stop.load() != 0;
}

void SlotTable::wait_for_work(std::uint32_t seen) const {
  control_->sleepers.fetch_add(1);
  futex_wait(control_->work_sequence, seen);
  control_->sleepers.fetch_sub(1);
}

std::optional<Claim> SlotTable::claim(std::size_t worker) {
  if (const auto found = claim_oldest(worker, true)) return found;
  return claim_oldest(worker, false);
}

// Visits the published batches from the oldest on.
std::optional<Claim> SlotTable::claim_oldest(std::size_t worker, bool trust_hints) {
  for (std::uint64_t visited = 0;;) {
    std::size_t oldest = 0;
    std::uint64_t generation = ~std::uint64_t{0};
    for (std::size_t slot = 0; slot < dimensions_.slots; ++slot) {
      const std::uint64_t seen = headers_[slot].generation.load(std::memory_order_acquire);
      if (seen <= visited || seen >= generation) continue;
      oldest = slot;
      generation = seen;
    }
    if (generation == ~std::uint64_t{0}) return std::nullopt;
    const std::size_t first = trust_hints ? headers_[oldest].next_run.load(std::memory_order_relaxed) : 0;
    if (const auto found = claim_in(oldest, generation, first, worker)) return found;
    visited = generation;
  }
}

std::optional<Claim> SlotTable::claim_in(std::size_t slot, std::uint64_t generation, std::size_t first,
                                         std::size_t worker) {
  SlotHeader& header = headers_[slot];
  const std::uint64_t ready = ClaimWord{RunState::ready, 0, generation}.pack();
  const std::uint64_t mine =
      ClaimWord{RunState::claimed, static_cast<std::uint16_t>(worker), generation}.pack();
  const std::size_t runs = header.runs.load(std::memory_order_relaxed);
  for (std::size_t run = first; run < runs; ++run) {
    std::uint64_t expected = ready;
    if (word(slot, run).load(std::memory_order_relaxed) != ready) continue;
    if (!word(slot, run).compare_exchange_strong(expected, mine)) continue;
    header.next_run.store(static_cast<std::uint32_t>(run + 1), std::memory_order_relaxed);
    return Claim{slot, run, mine};
  }
  return std::nullopt;
}

BatchTicket SlotTable::ticket(const Claim& claim) const {
  return headers_[claim.slot].ticket;
}

FailureRecord& SlotTable::run_failure(const Claim& claim) const {
  return failures_[claim.slot * dimensions_.runs + claim.run];
}

void SlotTable::finish(const Claim& claim, RunState state) {
  ClaimWord finished_word = ClaimWord::unpack(claim.word);
  finished_word.state = state;
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.run).compare_exchange_strong(expected, finished_word.pack());
  if (control_->awaited.load() != 0 && finished(claim.slot)) signal_completion();
}

void SlotTable::signal_completion() const {
  if (control_->awaited.exchange(0) != 0) completion_.notify();
}

}  // namespace leat
