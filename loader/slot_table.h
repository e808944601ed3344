// The shared memory of a loader: batch slots, and the words by which workers claim runs of rows. The protocol
// between the parent and its workers is all here; its model is the one of a word per run (claim_word.h).
//
// Roles: one parent (under its own lock) publishes, cancels and clears; any number of workers, each with an
// id of its own, claim and finish. They are processes or threads; all state is in shared memory, and there
// are no locks in it.
//
// Invariants:
//  1. A batch's ticket, indices and failure records are written by the parent while every word of the slot is
//     finished or empty, and read by workers only after a claim: publishing is the release, claiming the
//     acquire.
//  2. Rows of a run are written only by the worker whose id the claimed word holds; `done` releases them to
//  the parent.
//  3. Whether a batch is finished is read from its words, never from a counter.
//  4. Everything else that is shared (hints, sleepers, the awaited flag, sequence numbers) only saves time: a
//  wrong value
//     costs a scan or a system call, never a sample.
//  5. A worker reads the work sequence before it looks for work and sleeps only if it is unchanged; the
//  parent raises the
//     awaited flag before it looks at the words, and a worker looks at the flag after it finished: no wake-up
//     is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loader/base/event_fd.h"
#include "loader/base/shared_memory.h"
#include "loader/batch_layout.h"
#include "loader/claim_word.h"
#include "loader/failure_record.h"

namespace leat {

// What a worker needs to know of a published batch.
struct BatchTicket {
  std::uint64_t generation = 0;  // 1, 2, ... over the loader's life
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // in the epoch
  std::size_t rows = 0;
  std::size_t rows_per_run = 1;

  std::size_t runs() const noexcept { return (rows + rows_per_run - 1) / rows_per_run; }
};

// A run that a worker holds.
struct Claim {
  std::size_t slot = 0;
  std::size_t run = 0;
  std::uint64_t word = 0;  // the claimed word, packed
};

class SlotTable {
 public:
  struct Dimensions {
    std::size_t slots = 1;
    std::size_t runs = 1;  // at most, of one batch
    std::size_t workers = 0;
  };

  // Takes and populates the memory. Throws MemoryError, SystemError.
  SlotTable(BatchLayout layout, Dimensions dimensions);

  const BatchLayout& layout() const noexcept { return layout_; }
  std::size_t slots() const noexcept { return dimensions_.slots; }
  std::byte* data(std::size_t slot) const noexcept { return slot_data_ + slot * layout_.bytes(); }
  std::span<std::byte* const> columns(std::size_t slot) const noexcept { return columns_[slot]; }
  std::span<std::uint64_t> indices(std::size_t slot) const noexcept;  // one per row of the layout's capacity
  std::span<std::byte> slot_memory() const noexcept;

  // --- the parent
  // Precondition: no run of the slot is unfinished; indices(slot) hold the batch's.
  void publish(std::size_t slot, const BatchTicket& ticket);
  bool finished(std::size_t slot) const;  // no run is ready or claimed
  void cancel(std::size_t slot);          // ready runs become empty; claimed ones go on to their end
  void clear(std::size_t slot);           // precondition: finished; every word becomes empty
  const FailureRecord* failure(std::size_t slot) const;  // of the lowest failed run; null: none
  std::vector<Claim> held_by(std::size_t worker) const;
  FailureRecord& worker_failure(std::size_t worker) const;  // of worker_init_fn; written by that worker
  void stop();                                              // all workers leave when they next look
  void await() const;  // from now on a finished batch gives a completion signal
  const EventFd& completion() const noexcept { return completion_; }

  // --- the workers
  std::uint32_t work_sequence() const;
  bool stopping() const;
  void wait_for_work(std::uint32_t seen) const;    // sleeps while work_sequence() is `seen`
  std::optional<Claim> claim(std::size_t worker);  // a run of the oldest batch that has one
  BatchTicket ticket(const Claim& claim) const;
  FailureRecord& run_failure(const Claim& claim) const;
  void finish(const Claim& claim, RunState state);  // done or failed; signals an awaiting parent
  void signal_completion() const;

 private:
  using Word = std::atomic<std::uint64_t>;
  struct Control;
  struct SlotHeader;

  Word& word(std::size_t slot, std::size_t run) const noexcept {
    return words_[slot * dimensions_.runs + run];
  }
  std::optional<Claim> claim_oldest(std::size_t worker, bool trust_hints);
  std::optional<Claim> claim_in(std::size_t slot, std::uint64_t generation, std::size_t first,
                                std::size_t worker);
  void announce_work();

  // Constant after construction.
  BatchLayout layout_;
  Dimensions dimensions_;
  SharedMemory memory_;
  EventFd completion_;
  Control* control_ = nullptr;
  SlotHeader* headers_ = nullptr;      // [slots]
  Word* words_ = nullptr;              // [slots][runs]
  std::uint64_t* indices_ = nullptr;   // [slots][capacity]
  FailureRecord* failures_ = nullptr;  // [slots][runs], then [workers]
  std::byte* slot_data_ = nullptr;     // [slots][layout bytes], behind a guard page
  std::vector<std::vector<std::byte*>> columns_;
};

}  // namespace leat
