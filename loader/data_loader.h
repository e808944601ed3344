// The data loader: a dataset, a pool of workers, batches in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_range.h"
#include "leat/loader/errors.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/loader_options.h"
#include "leat/loader/loader_state.h"
#include "leat/loader/loader_stats.h"
#include "leat/loader/worker_info.h"

namespace leat {

// The memory that batches lie in: `count` slots of `slot_bytes` each, one after the other. Batches that were loaded
// while an older one was waited for may lie elsewhere (DataLoaderOptions::reorder_bytes), in memory that is not
// page-locked: copies from there to a device are right, but slower and less asynchronous.
struct SlotMemory {
  std::span<std::byte> bytes;  // page-aligned; count * slot_bytes, or none where there are ragged fields
  std::size_t slot_bytes = 0;
  std::size_t count = 0;
};

namespace detail {
class LoaderCore;
}
struct BatchSource;

// Thread rules: one thread at a time calls the members; batches may be destroyed on any thread. Workers start in the
// constructor, so loaders are best made before CUDA and thread pools: the pool is forked from the process as it is. A
// worker that dies is replaced, and what it had not finished is loaded again, without a gap or a repetition in what
// is delivered. Delivered bytes depend on (dataset, sampler, batch_size, drop_last, seed, epoch) and on nothing else.
class DataLoader {
 public:
  // The dataset outlives the loader. Throws ArgumentError for contradictory options, MemoryError where the
  // slots do not fit, SystemError where workers cannot be started.
  DataLoader(const Dataset& dataset, DataLoaderOptions options);
  DataLoader(const Dataset&& temporary, DataLoaderOptions options) = delete;
  DataLoader(DataLoader&&) noexcept;
  DataLoader& operator=(DataLoader&&) noexcept;
  ~DataLoader();  // ends the workers, in mid-epoch too; batches that are still held stay valid

  /// Batches of the current epoch, or of the one that next() will begin. After restore(): those that were delivered
  /// before, and those that remain.
  std::size_t size() const;

  // The next batch of the epoch, in order; nullopt once at its end. The call after that begins the epoch that
  // follows; the first call of all begins epoch 0. Throws SampleError (the epoch goes on with the batch after
  // it), TimeoutError (the batch may be asked for again), SlotsHeldError, and TooManyBadSamplesError,
  // WorkerInitError or WorkerError (after these the loader is of no further use: it throws the same again). What a
  // sampler throws, or an ArgumentError for an index that it should not give, ends the epoch: nullopt follows.
  std::optional<HostBatch> next();

  // Begins `epoch`, abandoning what is left of the present one.
  void start_epoch(std::uint64_t epoch);

  // Where next() goes on. Cheap; no worker is involved.
  LoaderState state() const;

  /// Continues where `state` was taken: next() delivers the batches that it would have delivered there, to the byte,
  /// whatever the number and kind of workers here. `drop_last`, `in_order` and what becomes of bad samples may differ,
  /// too.
  ///
  /// With another batch size or world size, the remaining samples of the epoch are delivered in the order they had,
  /// each once (except for samples that the sampler repeats as padding or leaves out). This may be repeated within an
  /// epoch: a state knows all that was consumed. All ranks must have taken their states after equally many batches
  /// (LoaderState::batches); then the state of any rank will do for all. A state taken with in_order = false belongs to its own rank: only with
  /// a world size of 1 can it be restored with another batch size or world size. A batch sampler's batches stay as they
  /// are, but another number of ranks may divide what remains of them.
  ///
  /// Throws ArgumentError that says what differs, if the state was taken from another order of samples
  /// (Sampler::fingerprint()), another seed or another dataset size, if its numbers contradict each other or the
  /// epoch, or if it cannot be divided as asked. The loader then goes on as if nothing had happened.
  void restore(const LoaderState& state);

  /// Begins an epoch and iterates over it: for (HostBatch& batch : loader.epoch(3)). An exception ends the loop, and
  /// rest() goes on behind it. With `on_error` a SampleError does not: it is reported there, in the place of its batch.
  BatchRange<HostBatch> epoch(std::uint64_t epoch, SampleErrorHandler on_error = nullptr);

  /// Iterates over what is left of the current epoch.
  BatchRange<HostBatch> rest(SampleErrorHandler on_error = nullptr);

  // The memory of the slots, for page-locking it (transfer/). Constant over the loader's life.
  SlotMemory slots() const;
  // Keeps the memory of the slots alive.
  std::shared_ptr<const void> slot_keeper() const;

  const BatchLayout& layout() const;
  const DataLoaderOptions& options() const;

  // How the present epoch goes, and what to change. Takes microseconds; meant for once in a while.
  LoaderStats stats() const;

  // The bad samples that were skipped or substituted: how many, and the first thousand of them.
  std::size_t bad_sample_count() const;
  std::vector<BadSample> bad_samples() const;

  // Process ids of the workers that run now, or nothing where they are no processes.
  std::vector<int> worker_pids() const;

 private:
  friend struct BatchSource;

  detail::LoaderCore& core() const;  // throws ArgumentError if the loader was moved from

  std::shared_ptr<detail::LoaderCore> core_;  // never shared; deleted only in the process that made it
};

}  // namespace leat
