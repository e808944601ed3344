// Batches on a device, ahead of their consumer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/warning.h"
#include "leat/loader/batch_range.h"
#include "leat/transfer/batch_source.h"
#include "leat/transfer/device.h"
#include "leat/transfer/device_batch.h"
#include "leat/transfer/normalize.h"

namespace leat {

struct PrefetcherOptions {
  std::size_t buffers = 2;                      // device buffers; 2 is double buffering
  std::vector<FieldNormalization> normalize{};  // what the device computes out of the raw fields
  WarningHandler on_warning{};                  // default: prints to stderr
};

// One copy and no waiting: a batch goes from the loader's slot to a device buffer in one asynchronous copy on
// a stream of its own, while the consumer works on the batch before. The loader's slots are page-locked once;
// where that fails, copies go on from pageable memory, slower, and a warning says why.
//
// Threads: next(), start_epoch() and the range of epoch() are used by one thread at a time. A thread of the
// prefetcher calls the loader's members; nobody else does, between construction and destruction. No lock is
// held while a device or a dataset works.
class Prefetcher {
 public:
  // The loader and the device outlive the prefetcher. Nothing is loaded until next() or start_epoch() is
  // called. Throws ArgumentError for contradictory options, DeviceError where the buffers do not fit.
  Prefetcher(DataLoader& loader, Device& device, const PrefetcherOptions& options = {});
  Prefetcher(BatchSource source, Device& device, const PrefetcherOptions& options = {});
  Prefetcher(Prefetcher&&) noexcept;
  Prefetcher& operator=(Prefetcher&&) noexcept;
  // In mid-epoch too. Waits until the sample in progress is loaded, if the loader is at it at that moment,
  // and until the copies under way are done; those wait for what consumers had queued when they destroyed
  // earlier batches. Batches that are still held stay valid. In a forked process: does nothing.
  ~Prefetcher();

  // The next batch, ready for what is enqueued on `consumer` (a stream of this device) after this call;
  // nullopt once at the end of the epoch. The call after that begins the epoch that follows; the first call
  // of all begins epoch 0. The caller's thread waits for the loader, not for the device, but that it cannot
  // get further ahead of the device than there are buffers.
  //
  // Errors of the loader come in place of the batch they befell, as their own type: after a SampleError the
  // epoch goes on; after any other the loader is asked again by the next call. Errors of the device,
  // DeviceError for most, are final: every further call throws them again. Throws SlotsHeldError where the
  // caller holds all the buffers.
  std::optional<DeviceBatch> next(StreamRef consumer);

  // Begins `epoch`, abandoning what is left of the present one; loading begins at once. What the loader
  // throws at that is thrown by next().
  void start_epoch(std::uint64_t epoch);

  /// Begins an epoch and iterates over it: for (DeviceBatch& batch : feed.epoch(3, stream)). An exception ends the
  /// loop, and rest() goes on behind it. With `on_error` a SampleError does not: it is reported there, in the place of
  /// its batch.
  BatchRange<DeviceBatch> epoch(std::uint64_t epoch, StreamRef consumer,
                                SampleErrorHandler on_error = nullptr);

  /// Iterates over what is left of the current epoch.
  BatchRange<DeviceBatch> rest(StreamRef consumer, SampleErrorHandler on_error = nullptr);

  Device& device() const noexcept;

 private:
  class Impl;
  Impl& impl() const;  // throws ForkedProcessError in a process that was forked from the prefetcher's

  std::shared_ptr<Impl> impl_;  // never shared; deleted only in the process that made it
};

}  // namespace leat
