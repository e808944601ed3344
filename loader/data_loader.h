/// \file
/// The data loader, which has workers load the samples of a dataset, and delivers batches in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_range.h"
#include "leat/loader/errors.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/loader_options.h"
#include "leat/loader/loader_state.h"
#include "leat/loader/loader_stats.h"
#include "leat/loader/worker_info.h"

namespace leat {

/// The memory of a loader's batches: `count` slots of `slot_bytes` each, one after the other.
///
/// Batches that were loaded while next() waited for an older one may lie elsewhere (DataLoaderOptions::reorder_bytes),
/// in memory that is not page-locked; copies from there to a device are slower and less asynchronous.
struct LEAT_EXPORT SlotMemory {
  std::span<std::byte> bytes;  ///< page-aligned; count * slot_bytes, or empty if a field is ragged
  std::size_t slot_bytes = 0;  ///< size of a slot
  std::size_t count = 0;       ///< number of slots
};

namespace detail {
class LoaderCore;
}
struct BatchSource;

/// Loads the samples of a dataset with workers, and delivers them in batches. Movable, not copyable.
///
/// What is delivered depends on (dataset, sampler, batch_size, drop_last, seed, epoch) and on nothing else, to the
/// byte. A worker that dies is replaced, and what it had not finished is loaded again: nothing is missing or repeated.
///
/// One thread at a time calls the members; batches may be destroyed on any thread. Worker processes are forked in the
/// constructor, from the process as it is: make loaders before CUDA contexts and thread pools. In a process that was
/// forked from its own, a loader with workers throws ForkedProcessError.
class LEAT_EXPORT DataLoader {
 public:
  /// Starts the workers. The dataset outlives the loader. Throws ArgumentError for contradictory options, MemoryError
  /// if the batches do not fit into memory, SystemError if workers cannot be started.
  DataLoader(const Dataset& dataset, DataLoaderOptions options);
  DataLoader(const Dataset&& temporary, DataLoaderOptions options) = delete;
  /// Takes over the other's workers; the other may then only be assigned to or destroyed.
  DataLoader(DataLoader&&) noexcept;
  /// Ends the workers, and takes over the other's.
  DataLoader& operator=(DataLoader&&) noexcept;
  /// Ends the workers, also within an epoch. Batches that are still held stay valid.
  ~DataLoader();

  /// Returns the number of batches of the current epoch, or of the one that next() will begin. After restore(), batches
  /// that were delivered before the state was taken count, too.
  std::size_t size() const;

  /// Returns the next batch of the epoch, in order, or nullopt at its end. The call after that begins the next epoch;
  /// the first call of all begins epoch 0.
  ///
  /// Throws SampleError, after which the epoch goes on with the next batch; TimeoutError, after which the batch can be
  /// asked for again; SlotsHeldError if the caller holds too many batches; and TooManyBadSamplesError, WorkerInitError
  /// or WorkerError, after which every call throws the same again. What a sampler throws, and an ArgumentError for an
  /// index outside the dataset, ends the epoch: the next call returns nullopt.
  std::optional<HostBatch> next();

  /// Begins an epoch, and drops what is left of the current one.
  void start_epoch(std::uint64_t epoch);

  /// Returns the state from which next() goes on. Cheap: no worker takes part.
  LoaderState state() const;

  /// Continues where `state` was taken: next() delivers the batches that it would have delivered there, to the byte,
  /// whatever the number and kind of workers here. `drop_last`, `in_order` and the policy for bad samples may differ,
  /// too.
  ///
  /// With another batch size or world size, the remaining samples of the epoch are delivered in the order they had,
  /// each once (except for samples that the sampler repeats as padding or leaves out). This may be repeated within an
  /// epoch: a state knows all that was consumed. All ranks must have taken their states after equally many batches
  /// (LoaderState::batches); then the state of any rank will do for all. A state taken with in_order = false belongs to
  /// its own rank: only with a world size of 1 can it be restored with another batch size or world size. A batch
  /// sampler's batches stay as they are, but another number of ranks may divide what remains of them.
  ///
  /// Throws ArgumentError that says what differs, if the state was taken from another order of samples
  /// (Sampler::fingerprint()), another seed or another dataset size, if its numbers contradict each other or the epoch,
  /// or if it cannot be divided as asked. The loader then goes on as if nothing had happened.
  void restore(const LoaderState& state);

  /// Begins an epoch and iterates over it: for (HostBatch& batch : loader.epoch(3)). An exception ends the loop, and
  /// rest() goes on behind it. With `on_error`, a SampleError is passed there in place of its batch, and the loop goes
  /// on.
  BatchRange<HostBatch> epoch(std::uint64_t epoch, SampleErrorHandler on_error = nullptr);

  /// Iterates over what is left of the current epoch.
  BatchRange<HostBatch> rest(SampleErrorHandler on_error = nullptr);

  /// Returns the memory of the batches, for page-locking it. It stays the same as long as the loader lives.
  SlotMemory slots() const;
  /// Returns an owner that keeps this memory alive.
  std::shared_ptr<const void> slot_keeper() const;

  const BatchLayout& layout() const;         ///< the layout of each batch
  const DataLoaderOptions& options() const;  ///< the options that the loader was made with

  /// Returns figures on the current epoch, and advice. Takes microseconds; not meant for every batch.
  LoaderStats stats() const;

  /// Returns the number of bad samples that were skipped or substituted.
  std::size_t bad_sample_count() const;
  /// Returns the first thousand of them.
  std::vector<BadSample> bad_samples() const;

  /// Returns the process ids of the workers that run now; empty if there are no worker processes.
  std::vector<int> worker_pids() const;

 private:
  friend struct BatchSource;

  detail::LoaderCore& core() const;  // throws ArgumentError if the loader was moved from

  std::shared_ptr<detail::LoaderCore> core_;  // never shared; deleted only in the process that made it
};

}  // namespace leat
