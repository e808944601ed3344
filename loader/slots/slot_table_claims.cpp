// The side of the protocol that workers and the fork server run.
#include "leat/loader/os/futex.h"
#include "leat/loader/slots/slot_table.h"
#include "leat/loader/slots/slot_table_shared.h"

namespace leat::detail {

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

void SlotTable::wait_while_parked(std::size_t worker) const {
  for (;;) {
    const std::uint32_t active = control_->active.load();
    if (worker < active) return;
    futex_wait(control_->active, active);
  }
}

void SlotTable::set_timing(const Claim& claim, const RunTiming& timing) {
  progress_[at(claim.slot, claim.run)].timing = timing;
}

std::optional<Claim> SlotTable::claim(std::size_t worker) {
  if (const auto found = claim_oldest(worker, true)) return found;
  return claim_oldest(worker, false);
}

// Visits the published batches that seem to have a run, from the oldest on.
std::optional<Claim> SlotTable::claim_oldest(std::size_t worker, bool trust_hints) {
  const std::size_t slots = opened();
  for (std::uint64_t visited = 0;;) {
    std::size_t oldest = 0;
    std::uint64_t generation = ~std::uint64_t{0};
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t seen = headers_[slot].generation.load(std::memory_order_acquire);
      if (seen <= visited || seen >= generation) continue;
      if (!may_have_run(slot, seen, worker, trust_hints)) continue;
      oldest = slot;
      generation = seen;
    }
    if (generation == ~std::uint64_t{0}) return std::nullopt;
    const std::size_t first = trust_hints ? headers_[oldest].next_run.load(std::memory_order_relaxed) : 0;
    if (const auto found = claim_in(oldest, generation, first, worker)) return found;
    visited = generation;
  }
}

// Behind a slow batch there may be many that are finished.
bool SlotTable::may_have_run(std::size_t slot, std::uint64_t generation, std::size_t worker,
                             bool trust_hints) const {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  if (trust_hints) return headers_[slot].next_run.load(std::memory_order_relaxed) < runs;
  for (std::size_t run = 0; run < runs; ++run) {
    const ClaimWord seen = ClaimWord::unpack(word(slot, run).load(std::memory_order_relaxed));
    if (seen.generation == generation && seen.ready_for(worker)) return true;
  }
  return false;
}

std::optional<Claim> SlotTable::claim_in(std::size_t slot, std::uint64_t generation, std::size_t first,
                                         std::size_t worker) {
  const std::size_t runs = headers_[slot].runs.load(std::memory_order_relaxed);
  for (std::size_t run = first; run < runs; ++run) {
    const ClaimWord seen = ClaimWord::unpack(word(slot, run).load(std::memory_order_relaxed));
    if (seen.generation != generation || !seen.ready_for(worker)) continue;
    if (const auto claim = try_claim(slot, run, seen, worker)) {
      headers_[slot].next_run.store(static_cast<std::uint32_t>(run + 1), std::memory_order_relaxed);
      return claim;
    }
  }
  return std::nullopt;
}

std::optional<Claim> SlotTable::try_claim(std::size_t slot, std::size_t run, ClaimWord seen,
                                          std::size_t worker) {
  ClaimWord mine = seen.with(RunState::claimed);
  mine.worker = static_cast<std::uint16_t>(worker);
  std::uint64_t expected = seen.pack();
  if (!word(slot, run).compare_exchange_strong(expected, mine.pack())) return std::nullopt;
  return Claim{slot, run, mine.pack()};
}

std::optional<Claim> SlotTable::claim_reopened(std::size_t worker) {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t run = 0; run < dimensions_.runs; ++run) {
      const ClaimWord seen = ClaimWord::unpack(word(slot, run).load());
      if (seen.state != RunState::ready || seen.worker != worker) continue;
      if (const auto claim = try_claim(slot, run, seen, worker)) return claim;
    }
  }
  return std::nullopt;
}

BatchTicket SlotTable::ticket(const Claim& claim) const {
  return headers_[claim.slot].ticket;
}

std::size_t SlotTable::row_in_progress(const Claim& claim) const {
  return progress_[at(claim.slot, claim.run)].row.load(std::memory_order_relaxed);
}

void SlotTable::begin_row(const Claim& claim, std::size_t row) {
  progress_[at(claim.slot, claim.run)].row.store(static_cast<std::uint32_t>(row), std::memory_order_release);
}

FailureRecord& SlotTable::run_failure(const Claim& claim) const {
  return failures_[at(claim.slot, claim.run)];
}

void SlotTable::finish(const Claim& claim, RunState state) {
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.run)
      .compare_exchange_strong(expected, ClaimWord::unpack(claim.word).with(state).pack());
  signal_if_finished(claim.slot);
}

// Two workers that write at once lose one measurement, which does not matter to a mean.
void SlotTable::measured(std::size_t samples, std::uint64_t ns) {
  const std::uint64_t before = control_->ns_per_sample.load(std::memory_order_relaxed);
  const std::uint64_t now = ns / samples + 1;
  control_->ns_per_sample.store(before == 0 ? now : (7 * before + now) / 8, std::memory_order_relaxed);
}

void SlotTable::signal_if_finished(std::size_t slot) const {
  if (control_->awaited.load() != 0 && finished(slot)) signal_completion();
}

// The flag is raised again where nobody was woken: the worker ends, and the news of that wakes the parent.
void SlotTable::signal_completion() const {
  if (control_->awaited.exchange(0) == 0) return;
  if (completion_->notify()) return;
  control_->awaited.store(1);
  throw LostDescriptor();
}

// --- the fork server

std::size_t SlotTable::reclaim(std::size_t worker, const Death& death) {
  std::size_t failed = 0;
  for (const Claim& claim : held_by(worker)) failed += take_back(claim, death) ? 1 : 0;
  announce_work();
  return failed;
}

// True where the run failed.
bool SlotTable::take_back(const Claim& claim, const Death& death) {
  ClaimWord held = ClaimWord::unpack(claim.word);
  Progress& progress = progress_[at(claim.slot, claim.run)];
  const std::uint32_t row = progress.row.load(std::memory_order_acquire);
  held.deaths = held.deaths > 0 && progress.blamed_row == row ? held.deaths + 1 : 1;
  progress.blamed_row = row;
  if (held.deaths < death.limit) {
    reopen(claim, held.with(RunState::ready));
    return false;
  }
  FailureRecord& failure = run_failure(claim);
  failure.blame({.batch = held.generation,
                 .sample = indices(claim.slot)[row],
                 .row = row,
                 .worker = held.worker,
                 .deaths = held.deaths,
                 .how = death.how,
                 .stack = death.stack});
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.run).compare_exchange_strong(expected, held.with(RunState::failed).pack());
  signal_if_finished(claim.slot);
  return true;
}

// The parent may cancel the batch meanwhile: it clears the slot's generation, then looks for ready words. Here
// the word is made ready, then the generation read. One of the two sees what the other did.
void SlotTable::reopen(const Claim& claim, ClaimWord as) {
  SlotHeader& header = headers_[claim.slot];
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.run).compare_exchange_strong(expected, as.pack());
  if (header.generation.load() == as.generation) {
    header.next_run.store(0, std::memory_order_relaxed);
    return;
  }
  expected = as.pack();
  word(claim.slot, claim.run).compare_exchange_strong(expected, 0);
  signal_if_finished(claim.slot);
}

void SlotTable::release_reopened(std::size_t worker) {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t run = 0; run < dimensions_.runs; ++run) {
      ClaimWord seen = ClaimWord::unpack(word(slot, run).load());
      if (seen.state != RunState::ready || seen.worker != worker) continue;
      std::uint64_t expected = seen.pack();
      seen.worker = kAnyWorker;
      word(slot, run).compare_exchange_strong(expected, seen.pack());
    }
  }
  announce_work();
}

}  // namespace leat::detail
