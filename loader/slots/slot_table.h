// The shared memory of a loader: batch slots, and a word for each chunk of rows, a packed ChunkState, by which workers
// claim it. The protocol between the parent and its workers is all here.
//
// Roles: one parent (under its own lock) publishes, cancels, reopens and clears; any number of workers, each
// with an id of its own, claim and finish; one fork server takes back what a dead worker held. They are processes
// or threads; all state is in shared memory, and there are no locks in it.
//
// Invariants:
//  1. A batch's descriptor and indices are written by the parent while every word of the slot is finished or
//     empty, and read by workers only after a claim: publishing is the release, claiming the acquire.
//  2. A chunk's rows, its progress and its failure record are written only by the worker whose id the claimed
//     word holds; `done` and `failed` release them to the parent. The fork server writes them only after that
//     worker's process is gone (the fence), the parent only in a failed chunk.
//  3. Rows of a chunk below its row in progress are written, and stay so: whoever takes the chunk over begins at
//     that row. So it is that row, and no other, that a death is blamed on.
//  4. Whether a batch is finished is read from its words, never from a counter.
//  5. A word is changed by the parent while it is empty, ready, done or failed, by a worker from ready and
//     from its own claim, by the fork server from a dead worker's claim, and where it left a chunk ready for one
//     worker by name: to ready for all, and, of a batch that the parent is canceling meanwhile, to empty.
//  6. Everything else that is shared (hints, sleepers, the awaited flag, sequence numbers, worker records)
//     only saves time: a wrong value costs a scan or a system call, never a sample.
//  7. The spare slots lie behind the common ones. Of those that are not open nothing is there but addresses:
//     no memory, no state. The parent takes memory for the next one, makes its state, and then raises the number
//     of open slots, which bounds what everybody looks at. That number never falls. Who holds a chunk of a slot has
//     read a number above it, and so does whoever comes after it.
//  8. A worker reads the work sequence before it looks for work and sleeps only if it is unchanged; the parent
//     raises the awaited flag before it looks at the words, and who finishes a chunk looks at the flag
//     afterwards: no wake-up is lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/errors.h"
#include "leat/loader/batch_layout.h"
#include "leat/loader/os/wake_pipe.h"
#include "leat/loader/slots/chunk_state.h"
#include "leat/loader/slots/committed_pages.h"
#include "leat/loader/slots/failure_record.h"
#include "leat/loader/slots/worker_record.h"

namespace leat::detail {

// What a worker needs to know of a published batch.
struct BatchDescriptor {
  std::uint64_t generation = 0;  // 1, 2, ... over the loader's life
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // in the epoch
  std::size_t rows = 0;
  std::size_t rows_per_chunk = 1;

  std::size_t chunks() const noexcept { return (rows + rows_per_chunk - 1) / rows_per_chunk; }
  std::size_t first_row(std::size_t chunk) const noexcept { return chunk * rows_per_chunk; }
  std::size_t last_row(std::size_t chunk) const noexcept {  // behind its end
    return std::min(rows, first_row(chunk) + rows_per_chunk);
  }
};

// This process has lost its end of the pipe that wakes the parent: other code of the process has closed it.
class LostDescriptor : public Error {
 public:
  LostDescriptor() : Error("a descriptor of the loader's was closed by other code of this process") {}
};

// A chunk that a worker holds.
struct Claim {
  std::size_t slot = 0;
  std::size_t chunk = 0;
  std::uint64_t word = 0;  // the claimed word, packed
};

// Who finished a chunk, and when it was in hand; times as in WorkerRecord.
struct ChunkTiming {
  std::uint64_t began_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t worker = 0;
};

class SlotTable {
 public:
  struct Dimensions {
    std::size_t slots = 1;
    std::size_t chunks = 1;  // at most, of one batch
    std::size_t workers = 0;
    std::size_t spare = 0;       // slots beside those, for which memory is taken when they are opened
    Forks forks = Forks::share;  // copy: the workers are threads, or there are none
  };

  // Takes and populates the memory of the common slots, but for the values of ragged fields. Throws MemoryError,
  // SystemError.
  SlotTable(BatchLayout layout, Dimensions dimensions);

  const BatchLayout& layout() const noexcept { return layout_; }
  std::size_t slots() const noexcept { return dimensions_.slots; }  // common ones
  bool has_spare() const noexcept { return dimensions_.spare > 0; }
  std::size_t opened() const;  // common slots, and open spare ones
  std::byte* data(std::size_t slot) const noexcept { return memory_.bytes().data() + data_offset(slot); }
  std::span<std::byte* const> columns(std::size_t slot) const noexcept;
  std::span<std::uint64_t> indices(std::size_t slot) const noexcept;  // one per row of the layout's capacity
  // Gives the memory of ragged values, to be asked before any is written; null: there are no such fields.
  RowMemory* ragged_memory() noexcept {
    return layout_.schema().ragged_fields() == 0 ? nullptr : &committed_;
  }
  // The rows of the common slots, which share no page with a spare one; nothing where not all of it is taken.
  std::span<std::byte> slot_memory() const noexcept;

  // What a slot takes, rows and state, for batches of so many chunks at most.
  static std::size_t bytes_of_slot(const BatchLayout& layout, std::size_t chunks);

  // --- the parent
  // The next spare slot; its number was opened(). False where there is none, or no memory for it.
  bool open_next();
  // Precondition: no chunk of the slot is unfinished; indices(slot) hold the batch's.
  void publish(std::size_t slot, const BatchDescriptor& descriptor);
  bool finished(std::size_t slot) const;  // no chunk is ready or claimed
  void cancel(std::size_t slot);          // ready chunks become empty; claimed ones go on to their end
  void clear(std::size_t slot);           // precondition: finished; every word becomes empty
  // The lowest failed chunk and its record; null: none. Precondition: finished.
  std::optional<std::size_t> failed_chunk(std::size_t slot) const;
  const FailureRecord& failure(std::size_t slot, std::size_t chunk) const;
  // Gives the rows after the failed one to the workers. Precondition: the chunk failed.
  void reopen_after_failure(std::size_t slot, std::size_t chunk);
  ChunkTiming timing(std::size_t slot, std::size_t chunk) const;  // precondition: the chunk is done
  void set_active(
      std::size_t workers);  // those with lower ids load; the others finish their chunk, then wait
  void restart();  // precondition: stopped, and no worker is left. What they held is empty; new ones may come
  void stop();     // all workers leave when they next look
  void await() const;  // from now on a finished batch gives a completion signal
  const WakePipe& completion() const noexcept { return *completion_; }  // precondition: there are workers
  std::uint64_t ns_per_sample() const;  // a running mean over the workers; 0: nothing measured yet

  // --- the workers
  std::uint32_t work_sequence() const;
  bool stopping() const;
  void wait_for_work(std::uint32_t seen) const;             // sleeps while work_sequence() is `seen`
  std::optional<Claim> claim(std::size_t worker);           // a chunk of the oldest batch that has one
  std::optional<Claim> claim_reopened(std::size_t worker);  // a chunk that was left to this worker by name
  BatchDescriptor batch_descriptor(const Claim& claim) const;
  std::size_t row_in_progress(const Claim& claim) const;
  void begin_row(const Claim& claim, std::size_t row);  // the rows of the chunk before it are written
  FailureRecord& chunk_failure(const Claim& claim) const;
  void set_timing(const Claim& claim, const ChunkTiming& timing);
  void wait_while_parked(std::size_t worker) const;
  void finish(const Claim& claim, ChunkPhase phase);     // done or failed; signals an awaiting parent
  void measured(std::size_t samples, std::uint64_t ns);  // that loading so many took
  void signal_completion() const;                        // where the parent awaits it; throws LostDescriptor

  // --- the fork server
  // A dead worker's chunks become ready for the same id's next process, and for nobody else: a process that has
  // loaded nothing before is the fair judge of a sample. The chunk whose row in progress has now ended
  // `death.limit` processes or more fails instead, with `death.how` in its record. Precondition: the process is
  // gone.
  struct Death {
    std::string_view how;                       // "was killed by signal 11 (Segmentation fault)"
    std::uint8_t limit = 2;                     // at most 15
    std::span<const std::uint64_t> stack = {};  // where it was, as far as it is known
  };
  std::size_t reclaim(std::size_t worker, const Death& death);  // how many chunks failed
  void release_reopened(std::size_t worker);  // no such process is to come: to whoever comes first

  // --- anybody
  std::size_t active() const;
  std::vector<Claim> held_by(std::size_t worker) const;
  WorkerRecord& worker_record(std::size_t worker) const { return worker_records_[worker]; }
  FailureRecord& worker_failure(std::size_t worker) const;  // of worker_init_fn; written by that worker

 private:
  using Word = SharedAtomic<std::uint64_t>;
  struct Control;
  struct SlotHeader;
  struct Progress;
  struct Part {  // an array with as many bytes for each slot
    std::size_t offset = 0;
    std::size_t bytes = 0;

    Extent of(std::size_t first, std::size_t last) const noexcept {
      return {offset + first * bytes, (last - first) * bytes};
    }
  };

  std::size_t at(std::size_t slot, std::size_t chunk) const noexcept {
    return slot * dimensions_.chunks + chunk;
  }
  Word& word(std::size_t slot, std::size_t chunk) const noexcept { return words_[at(slot, chunk)]; }
  std::size_t all_slots() const noexcept { return dimensions_.slots + dimensions_.spare; }
  std::size_t data_offset(std::size_t slot) const noexcept {
    return (slot < dimensions_.slots ? data_offset_ : spare_data_offset_) + slot * layout_.bytes();
  }
  static std::array<std::size_t, 5> state_bytes(const BatchLayout& layout, std::size_t chunks);
  std::vector<Extent> extents(std::size_t first, std::size_t last) const;
  std::string purpose_of_slots() const;
  void bind_state();
  void construct_state(std::size_t first, std::size_t last);
  std::optional<Claim> claim_oldest(std::size_t worker, bool trust_hints);
  bool may_have_chunk(std::size_t slot, std::uint64_t generation, std::size_t worker, bool trust_hints) const;
  std::optional<Claim> claim_in(std::size_t slot, std::uint64_t generation, std::size_t first,
                                std::size_t worker);
  std::optional<Claim> try_claim(std::size_t slot, std::size_t chunk, ChunkState seen, std::size_t worker);
  bool take_back(const Claim& claim, const Death& death);
  void reopen(const Claim& claim, ChunkState as);
  void announce_work();
  void signal_if_finished(std::size_t slot) const;

  // Constant after construction.
  BatchLayout layout_;
  Dimensions dimensions_;
  SharedMemory memory_;
  CommittedPages committed_;
  SharedMemory failure_memory_;
  std::optional<WakePipe> completion_;  // none where there are no workers
  Control* control_ = nullptr;
  WorkerRecord* worker_records_ = nullptr;  // [workers]
  SlotHeader* headers_ = nullptr;           // [all slots], as are those below
  Word* words_ = nullptr;                   // [][chunks]
  Progress* progress_ = nullptr;            // [][chunks]
  std::uint64_t* indices_ = nullptr;        // [][capacity]
  std::byte** columns_ = nullptr;           // [][fields and offsets]: where forks share them
  FailureRecord* failures_ = nullptr;       // [][chunks], then [workers]; pages are taken when written
  std::array<Part, 5> state_;               // headers to columns
  std::size_t data_offset_ = 0;             // [slots][layout bytes], between guard pages
  std::size_t spare_data_offset_ =
      0;  // of a slot 0 before the spare ones, which lie between guard pages, too
};

}  // namespace leat::detail
