// SlotTable: the shared memory of a loader. It holds the batch slots and, for each chunk of rows, a word with a
// packed ChunkState, by which workers claim the chunk. The whole protocol between the parent and its workers is here.
//
// Roles: One parent (under its own lock) publishes, cancels, reopens and clears. Any number of workers, each with an
// id of its own, claim and finish chunks. One fork server takes back the chunks that a dead worker held. These are
// processes or threads. All state is in shared memory, and there are no locks in it.
//
// Invariants:
//  1. The parent writes a batch's descriptor and indices while every word of the slot is finished or empty. Workers
//     read them only after a claim. Publishing is the release, and claiming is the acquire.
//  2. The rows, the progress and the failure record of a chunk are written only by the worker whose id the claimed
//     word holds. The change to `done` or `failed` releases them to the parent. The fork server writes them only
//     after that worker's process is gone (the fence), and the parent only while the chunk is failed or empty.
//  3. The rows of a chunk below its row in progress are written and stay unchanged: a worker that takes over the
//     chunk starts at the row in progress. So a death is blamed on exactly that row.
//  4. Whether a batch is finished is read from its words, never from a counter.
//  5. The parent changes a word while it is empty, ready, done or failed, and in restart(), when no worker is left,
//     also while it is claimed. A worker changes a word that is ready, and one that it has claimed itself. The fork
//     server changes a word that a dead worker had claimed. It also changes a word that it has itself made ready for
//     one worker by name: to ready for all workers or, if the parent is canceling the batch meanwhile, to empty.
//  6. All other shared state (hints, sleepers, the awaited flag, sequence numbers, worker records) only saves time. A
//     wrong value costs a scan or a system call, never a sample.
//  7. The spare slots lie behind the common slots. A spare slot that is not open is only address space: it has no
//     memory and no state. To open the next one, the parent takes memory for it, constructs its state, and then
//     raises the number of open slots. All roles look only at slots below that number, and the number never falls.
//     The holder of a chunk of a slot has read a number above that slot, and so does every later holder of the chunk.
//  8. No wake-up is lost. A worker reads the work sequence before it looks for work, and sleeps only if the sequence
//     is unchanged. The parent raises the awaited flag before it looks at the words, and the process or thread that
//     finishes a chunk looks at the flag afterwards.
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

// Describes a published batch to the workers.
struct BatchDescriptor {
  std::uint64_t generation = 0;  // 1, 2, ... over the loader's life
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // number in the epoch
  std::size_t rows = 0;
  std::size_t rows_per_chunk = 1;

  std::size_t chunks() const noexcept { return (rows + rows_per_chunk - 1) / rows_per_chunk; }
  std::size_t first_row(std::size_t chunk) const noexcept { return chunk * rows_per_chunk; }
  std::size_t last_row(std::size_t chunk) const noexcept {  // one past the last row
    return std::min(rows, first_row(chunk) + rows_per_chunk);
  }
};

// Thrown if this process has lost its end of the pipe that wakes the parent, because other code of the process has
// closed it.
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

// Which worker finished a chunk, and when that worker began and ended it. Times are as in WorkerRecord.
struct ChunkTiming {
  std::uint64_t began_ns = 0;
  std::uint64_t ended_ns = 0;
  std::uint64_t worker = 0;
};

class SlotTable {
 public:
  struct Dimensions {
    std::size_t slots = 1;
    std::size_t chunks = 1;  // greatest number of chunks of a batch
    std::size_t workers = 0;
    std::size_t spare = 0;       // further slots, whose memory is taken when they are opened
    Forks forks = Forks::share;  // Forks::copy if the workers are threads, or if there are none
  };

  // Takes and populates the memory of the common slots, except for the values of ragged fields. Throws MemoryError
  // and SystemError.
  SlotTable(BatchLayout layout, Dimensions dimensions);

  const BatchLayout& layout() const noexcept { return layout_; }
  std::size_t slots() const noexcept { return dimensions_.slots; }  // number of common slots
  bool has_spare() const noexcept { return dimensions_.spare > 0; }
  std::size_t opened() const;  // number of open slots: the common slots and the open spare slots
  std::byte* data(std::size_t slot) const noexcept { return memory_.bytes().data() + data_offset(slot); }
  std::span<std::byte* const> columns(std::size_t slot) const noexcept;
  std::span<std::uint64_t> indices(std::size_t slot) const noexcept;  // one per row of the layout's capacity
  // Returns the object that commits memory for ragged values, to be called before any are written. Null if the batch
  // has no ragged fields.
  RowMemory* ragged_memory() noexcept {
    return layout_.schema().ragged_fields() == 0 ? nullptr : &committed_;
  }
  // Returns the memory of the rows of the common slots, which share no page with a spare slot. Empty if there are
  // ragged fields, since not all of that memory is taken then.
  std::span<std::byte> slot_memory() const noexcept;
  // Returns the pages of the common slots that are taken from the start, in order; parts that touch are one part. With
  // ragged fields, these are the pages that hold anything but their values.
  std::vector<std::span<std::byte>> taken_slot_memory() const;

  // Returns the memory that a slot takes, rows and state, for batches of at most `chunks` chunks.
  static std::size_t bytes_of_slot(const BatchLayout& layout, std::size_t chunks);

  // --- the parent
  // Opens the next spare slot, whose number is the old opened(). Returns false if there is no further spare slot, or
  // no memory for it.
  bool open_next();
  // Precondition: no chunk of the slot is unfinished, and indices(slot) holds the indices of the batch.
  void publish(std::size_t slot, const BatchDescriptor& descriptor);
  bool finished(std::size_t slot) const;  // whether no chunk is ready or claimed
  void cancel(std::size_t slot);          // ready chunks become empty; claimed chunks are still finished
  void clear(std::size_t slot);           // precondition: finished; every word becomes empty
  // Returns the lowest failed chunk, or nullopt; failure() returns its record. Until the slot is finished, a lower
  // chunk may still fail.
  std::optional<std::size_t> failed_chunk(std::size_t slot) const;
  const FailureRecord& failure(std::size_t slot, std::size_t chunk) const;
  // Makes the rows of the chunk after the failed row ready for the workers. Precondition: the chunk failed.
  void reopen_after_failure(std::size_t slot, std::size_t chunk);
  ChunkTiming timing(std::size_t slot, std::size_t chunk) const;  // precondition: the chunk is done
  void set_active(std::size_t workers);  // lower ids load; the others finish their chunk, then wait
  void restart();  // precondition: stopped, no worker left. Their chunks become empty; new workers may come
  void stop();     // all workers end when they next check
  void await() const;  // the next finished batch gives a completion signal
  const WakePipe& completion() const noexcept { return *completion_; }  // precondition: there are workers
  std::uint64_t ns_per_sample() const;  // a running mean over the workers; 0 before the first measurement

  // --- the workers
  std::uint32_t work_sequence() const;
  bool stopping() const;
  void wait_for_work(std::uint32_t seen) const;             // sleeps while work_sequence() is `seen`
  std::optional<Claim> claim(std::size_t worker);           // a chunk of the oldest batch that has one
  std::optional<Claim> claim_reopened(std::size_t worker);  // a chunk that is ready for this worker by name
  BatchDescriptor batch_descriptor(const Claim& claim) const;
  std::size_t row_in_progress(const Claim& claim) const;
  void begin_row(const Claim& claim, std::size_t row);  // the chunk's rows before it are written
  FailureRecord& chunk_failure(const Claim& claim) const;
  void set_timing(const Claim& claim, const ChunkTiming& timing);
  void wait_while_parked(std::size_t worker) const;
  void finish(const Claim& claim, ChunkPhase phase);     // done or failed; signals a waiting parent
  void measured(std::size_t samples, std::uint64_t ns);  // records how long loading `samples` samples took
  void signal_completion() const;                        // if the parent awaits it; throws LostDescriptor

  // --- the fork server
  // Makes the chunks of a dead worker ready for the next process with the same id, and for no other: only a process
  // that has loaded nothing before can show whether a sample itself ends workers. If the row in progress of a chunk
  // has now ended `death.limit` processes or more, that chunk fails instead, with `death.how` in its record.
  // Precondition: the process is gone.
  struct Death {
    std::string_view how;                       // "was killed by signal 11 (Segmentation fault)"
    std::uint8_t limit = 2;                     // at most 15
    std::span<const std::uint64_t> stack = {};  // stack of the worker, if it is known
  };
  std::size_t reclaim(std::size_t worker, const Death& death);  // returns how many chunks failed
  void release_reopened(std::size_t worker);  // makes its chunks ready for all, if its process may not come

  // --- any role
  std::size_t active() const;
  std::vector<Claim> held_by(std::size_t worker) const;
  WorkerRecord& worker_record(std::size_t worker) const { return worker_records_[worker]; }
  FailureRecord& worker_failure(std::size_t worker) const;  // for worker_init_fn; that worker writes it

 private:
  using Word = SharedAtomic<std::uint64_t>;
  struct Control;
  struct SlotHeader;
  struct Progress;
  struct Part {  // an array with `bytes` bytes for each slot
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
  std::vector<Extent> row_extents(std::size_t first, std::size_t last) const;
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
  std::optional<WakePipe> completion_;  // only if there are workers
  Control* control_ = nullptr;
  WorkerRecord* worker_records_ = nullptr;  // [workers]
  SlotHeader* headers_ = nullptr;           // [all slots], as are those below
  Word* words_ = nullptr;                   // [][chunks]
  Progress* progress_ = nullptr;            // [][chunks]
  std::uint64_t* indices_ = nullptr;        // [][capacity]
  std::byte** columns_ = nullptr;           // [][fields and offsets]; the same addresses in all forks
  FailureRecord* failures_ = nullptr;       // [][chunks], then [workers]; pages are taken when written
  std::array<Part, 5> state_;               // the arrays from headers_ to columns_
  std::size_t data_offset_ = 0;             // [slots][layout bytes], between guard pages
  std::size_t spare_data_offset_ = 0;       // virtual slot 0 of the spare slots, which have guard pages, too
};

}  // namespace leat::detail
