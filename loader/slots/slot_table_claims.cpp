// The parts of SlotTable's protocol that workers and the fork server run.
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

void SlotTable::set_timing(const Claim& claim, const ChunkTiming& timing) {
  progress_[at(claim.slot, claim.chunk)].timing = timing;
}

std::optional<Claim> SlotTable::claim(std::size_t worker) {
  if (const auto found = claim_oldest(worker, true)) return found;
  return claim_oldest(worker, false);
}

// Tries the published batches that seem to have a ready chunk, oldest first.
std::optional<Claim> SlotTable::claim_oldest(std::size_t worker, bool trust_hints) {
  const std::size_t slots = opened();
  for (std::uint64_t visited = 0;;) {
    std::size_t oldest = 0;
    std::uint64_t generation = ~std::uint64_t{0};
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t seen = headers_[slot].generation.load(std::memory_order_acquire);
      if (seen <= visited || seen >= generation) continue;
      if (!may_have_chunk(slot, seen, worker, trust_hints)) continue;
      oldest = slot;
      generation = seen;
    }
    if (generation == ~std::uint64_t{0}) return std::nullopt;
    const std::size_t first = trust_hints ? headers_[oldest].next_chunk.load(std::memory_order_relaxed) : 0;
    if (const auto found = claim_in(oldest, generation, first, worker)) return found;
    visited = generation;
  }
}

// Filters out batches without a ready chunk: behind a slow batch there may be many finished ones.
bool SlotTable::may_have_chunk(std::size_t slot, std::uint64_t generation, std::size_t worker,
                               bool trust_hints) const {
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  if (trust_hints) return headers_[slot].next_chunk.load(std::memory_order_relaxed) < chunks;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const ChunkState seen = ChunkState::unpack(word(slot, chunk).load(std::memory_order_relaxed));
    if (seen.generation == generation && seen.ready_for(worker)) return true;
  }
  return false;
}

std::optional<Claim> SlotTable::claim_in(std::size_t slot, std::uint64_t generation, std::size_t first,
                                         std::size_t worker) {
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  for (std::size_t chunk = first; chunk < chunks; ++chunk) {
    const ChunkState seen = ChunkState::unpack(word(slot, chunk).load(std::memory_order_relaxed));
    if (seen.generation != generation || !seen.ready_for(worker)) continue;
    if (const auto claim = try_claim(slot, chunk, seen, worker)) {
      headers_[slot].next_chunk.store(static_cast<std::uint32_t>(chunk + 1), std::memory_order_relaxed);
      return claim;
    }
  }
  return std::nullopt;
}

std::optional<Claim> SlotTable::try_claim(std::size_t slot, std::size_t chunk, ChunkState seen,
                                          std::size_t worker) {
  ChunkState mine = seen.with(ChunkPhase::claimed);
  mine.worker = static_cast<std::uint16_t>(worker);
  std::uint64_t expected = seen.pack();
  if (!word(slot, chunk).compare_exchange_strong(expected, mine.pack())) return std::nullopt;
  return Claim{slot, chunk, mine.pack()};
}

std::optional<Claim> SlotTable::claim_reopened(std::size_t worker) {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t chunk = 0; chunk < dimensions_.chunks; ++chunk) {
      const ChunkState seen = ChunkState::unpack(word(slot, chunk).load());
      if (seen.phase != ChunkPhase::ready || seen.worker != worker) continue;
      if (const auto claim = try_claim(slot, chunk, seen, worker)) return claim;
    }
  }
  return std::nullopt;
}

BatchDescriptor SlotTable::batch_descriptor(const Claim& claim) const {
  return headers_[claim.slot].descriptor;
}

std::size_t SlotTable::row_in_progress(const Claim& claim) const {
  return progress_[at(claim.slot, claim.chunk)].row.load(std::memory_order_relaxed);
}

void SlotTable::begin_row(const Claim& claim, std::size_t row) {
  progress_[at(claim.slot, claim.chunk)].row.store(static_cast<std::uint32_t>(row),
                                                   std::memory_order_release);
}

FailureRecord& SlotTable::chunk_failure(const Claim& claim) const {
  return failures_[at(claim.slot, claim.chunk)];
}

void SlotTable::finish(const Claim& claim, ChunkPhase phase) {
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.chunk)
      .compare_exchange_strong(expected, ChunkState::unpack(claim.word).with(phase).pack());
  signal_if_finished(claim.slot);
}

// If two workers write at once, one measurement is lost, which does not matter for a mean.
void SlotTable::measured(std::size_t samples, std::uint64_t ns) {
  const std::uint64_t before = control_->ns_per_sample.load(std::memory_order_relaxed);
  const std::uint64_t now = ns / samples + 1;
  control_->ns_per_sample.store(before == 0 ? now : (7 * before + now) / 8, std::memory_order_relaxed);
}

void SlotTable::signal_if_finished(std::size_t slot) const {
  if (control_->awaited.load() != 0 && finished(slot)) signal_completion();
}

// If the wake-up fails, the flag is raised again. The worker then ends, and the report of its end wakes the parent.
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

// Returns whether the chunk failed.
bool SlotTable::take_back(const Claim& claim, const Death& death) {
  ChunkState held = ChunkState::unpack(claim.word);
  Progress& progress = progress_[at(claim.slot, claim.chunk)];
  const std::uint32_t row = progress.row.load(std::memory_order_acquire);
  held.deaths = held.deaths > 0 && progress.blamed_row == row ? held.deaths + 1 : 1;
  progress.blamed_row = row;
  if (held.deaths < death.limit) {
    reopen(claim, held.with(ChunkPhase::ready));
    return false;
  }
  FailureRecord& failure = chunk_failure(claim);
  failure.blame({.batch = held.generation,
                 .sample = indices(claim.slot)[row],
                 .row = row,
                 .worker = held.worker,
                 .deaths = held.deaths,
                 .how = death.how,
                 .stack = death.stack});
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.chunk).compare_exchange_strong(expected, held.with(ChunkPhase::failed).pack());
  signal_if_finished(claim.slot);
  return true;
}

// The parent may cancel the batch meanwhile. It clears the slot's generation first, and then looks for ready words.
// This function makes the word ready first, and then reads the generation. So at least one of the two sees what the
// other did.
void SlotTable::reopen(const Claim& claim, ChunkState as) {
  SlotHeader& header = headers_[claim.slot];
  std::uint64_t expected = claim.word;
  word(claim.slot, claim.chunk).compare_exchange_strong(expected, as.pack());
  if (header.generation.load() == as.generation) {
    header.next_chunk.store(0, std::memory_order_relaxed);
    return;
  }
  expected = as.pack();
  word(claim.slot, claim.chunk).compare_exchange_strong(expected, 0);
  signal_if_finished(claim.slot);
}

void SlotTable::release_reopened(std::size_t worker) {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t chunk = 0; chunk < dimensions_.chunks; ++chunk) {
      ChunkState seen = ChunkState::unpack(word(slot, chunk).load());
      if (seen.phase != ChunkPhase::ready || seen.worker != worker) continue;
      std::uint64_t expected = seen.pack();
      seen.worker = kAnyWorker;
      word(slot, chunk).compare_exchange_strong(expected, seen.pack());
    }
  }
  announce_work();
}

}  // namespace leat::detail
