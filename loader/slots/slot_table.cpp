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
  return failures_[all_slots() * dimensions_.chunks + worker];
}

std::vector<Claim> SlotTable::held_by(std::size_t worker) const {
  std::vector<Claim> held;
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t chunk = 0; chunk < dimensions_.chunks; ++chunk) {
      const std::uint64_t seen = word(slot, chunk).load();
      const ChunkState claim = ChunkState::unpack(seen);
      if (claim.phase == ChunkPhase::claimed && claim.worker == worker) held.push_back({slot, chunk, seen});
    }
  }
  return held;
}

void SlotTable::announce_work() {
  control_->work_sequence.fetch_add(1);
  if (control_->sleepers.load() > 0) futex_wake_all(control_->work_sequence);
}

// --- the parent

void SlotTable::publish(std::size_t slot, const BatchDescriptor& descriptor) {
  SlotHeader& header = headers_[slot];
  header.descriptor = descriptor;
  header.chunks.store(static_cast<std::uint32_t>(descriptor.chunks()), std::memory_order_relaxed);
  header.next_chunk.store(0, std::memory_order_relaxed);
  const std::uint64_t ready = ChunkState{ChunkPhase::ready, 0, kAnyWorker, descriptor.generation}.pack();
  for (std::size_t chunk = 0; chunk < descriptor.chunks(); ++chunk) {
    const auto first = static_cast<std::uint32_t>(descriptor.first_row(chunk));
    progress_[at(slot, chunk)].row.store(first, std::memory_order_relaxed);
    word(slot, chunk).store(ready, std::memory_order_release);
  }
  header.generation.store(descriptor.generation);
  announce_work();
}

bool SlotTable::finished(std::size_t slot) const {
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    if (ChunkState::unpack(word(slot, chunk).load()).unfinished()) return false;
  }
  return true;
}

// The generation is cleared first: see reopen() in slot_table_claims.cpp. The swap is repeated, because a ready word
// may change before it and still be ready: the fork server may be making ready for all workers a chunk that was ready
// for one worker. Without the repetition that chunk would stay ready, and no worker would ever claim it.
void SlotTable::cancel(std::size_t slot) {
  headers_[slot].generation.store(0);
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    std::uint64_t seen = word(slot, chunk).load();
    while (ChunkState::unpack(seen).phase == ChunkPhase::ready) {
      if (word(slot, chunk).compare_exchange_strong(seen, 0)) break;
    }
  }
}

void SlotTable::clear(std::size_t slot) {
  headers_[slot].generation.store(0);
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) word(slot, chunk).store(0, std::memory_order_relaxed);
}

std::optional<std::size_t> SlotTable::failed_chunk(std::size_t slot) const {
  const std::size_t chunks = headers_[slot].chunks.load(std::memory_order_relaxed);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    if (ChunkState::unpack(word(slot, chunk).load()).phase == ChunkPhase::failed) return chunk;
  }
  return std::nullopt;
}

const FailureRecord& SlotTable::failure(std::size_t slot, std::size_t chunk) const {
  return failures_[at(slot, chunk)];
}

void SlotTable::reopen_after_failure(std::size_t slot, std::size_t chunk) {
  const BatchDescriptor& descriptor = headers_[slot].descriptor;
  Progress& progress = progress_[at(slot, chunk)];
  const std::size_t next = progress.row.load(std::memory_order_relaxed) + std::size_t{1};
  progress.row.store(static_cast<std::uint32_t>(next), std::memory_order_relaxed);
  const ChunkPhase phase = next < descriptor.last_row(chunk) ? ChunkPhase::ready : ChunkPhase::done;
  word(slot, chunk).store(ChunkState{phase, 0, kAnyWorker, descriptor.generation}.pack());
  announce_work();
}

void SlotTable::restart() {
  const std::size_t slots = opened();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t chunk = 0; chunk < dimensions_.chunks; ++chunk) {
      if (ChunkState::unpack(word(slot, chunk).load()).phase == ChunkPhase::claimed)
        word(slot, chunk).store(0);
    }
  }
  for (std::size_t worker = 0; worker < dimensions_.workers; ++worker) {
    worker_records_[worker].pid.store(0);
    worker_records_[worker].starts.store(0);
  }
  control_->stop.store(0);
  set_active(dimensions_.workers);
}

ChunkTiming SlotTable::timing(std::size_t slot, std::size_t chunk) const {
  return progress_[at(slot, chunk)].timing;
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
  set_active(dimensions_.workers + 1);  // a value never used before, so that no worker stays parked
  announce_work();
}

void SlotTable::await() const {
  control_->awaited.store(1);
}

std::uint64_t SlotTable::ns_per_sample() const {
  return control_->ns_per_sample.load(std::memory_order_relaxed);
}

}  // namespace leat::detail
