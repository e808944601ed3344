/// \file
/// The prefetcher, which brings batches to a device ahead of their consumer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/warning.h"
#include "leat/loader/batch_range.h"
#include "leat/transfer/batch_source.h"
#include "leat/transfer/device.h"
#include "leat/transfer/device_batch.h"
#include "leat/transfer/normalize.h"

namespace leat {

/// Options of a Prefetcher.
struct LEAT_EXPORT PrefetcherOptions {
  std::size_t buffers = 2;                      ///< number of device buffers; 2 is double buffering
  std::vector<FieldNormalization> normalize{};  ///< fields of pixels that the device normalizes
  WarningHandler on_warning{};                  ///< receives warnings; if empty, they are printed to stderr
};

/// Copies batches to a device while the consumer works on earlier ones. Movable, not copyable.
///
/// A batch goes from the loader's memory to a device buffer in one asynchronous copy, on a stream of the prefetcher.
/// The loader's memory is page-locked once. What is not page-locked (slots that a loader adds while it waits for a slow
/// sample, or all of its memory if the system refuses, of which a warning tells) is copied once more, through
/// page-locked buffers of the prefetcher. So every copy to the device runs beside the host.
///
/// One thread at a time may use next(), start_epoch(), and the ranges of epoch() and rest(). A thread of the
/// prefetcher calls the loader's members; no other thread may call them while the prefetcher exists.
class LEAT_EXPORT Prefetcher {
 public:
  /// Prefetches from a loader. The loader and the device outlive the prefetcher. Nothing is loaded before next() or
  /// start_epoch() is called. Throws ArgumentError for contradictory options, DeviceError if the buffers do not fit
  /// into the device's memory.
  Prefetcher(DataLoader& loader, Device& device, const PrefetcherOptions& options = {});
  /// Prefetches from another source of batches, on the same terms.
  Prefetcher(BatchSource source, Device& device, const PrefetcherOptions& options = {});
  /// Takes over the other's loader, buffers and thread.
  Prefetcher(Prefetcher&&) noexcept;
  /// Ends this prefetcher as the destructor does, then takes over the other's loader, buffers and thread.
  Prefetcher& operator=(Prefetcher&&) noexcept;
  /// Ends the prefetcher, also within an epoch. Waits until the loader has loaded the sample it is working on, and
  /// until the copies under way are done; these wait for the work that was enqueued when earlier batches were
  /// destroyed. Batches that are still held stay valid. Does nothing in a forked process.
  ~Prefetcher();

  /// Returns the next batch, or nullopt at the end of the epoch. The call after that begins the next epoch; the first
  /// call of all begins epoch 0. Work enqueued on `consumer`, a stream of this device, after the call sees the batch.
  /// The calling thread waits for the loader; it waits for the device only when all buffers are in use.
  ///
  /// Throws what the loader throws, in place of the batch that it could not load: after a SampleError the epoch goes
  /// on; after any other error, the next call asks the loader again. Throws what fails on the device, mostly
  /// DeviceError, in this call and in all later ones. Throws SlotsHeldError if the caller holds batches in all buffers,
  /// and ForkedProcessError in a process that was forked from the prefetcher's.
  std::optional<DeviceBatch> next(StreamRef consumer);

  /// Begins an epoch at once and drops what is left of the current one. What the loader throws then, next() throws.
  void start_epoch(std::uint64_t epoch);

  /// Begins an epoch and iterates over it: for (DeviceBatch& batch : feed.epoch(3, stream)). An exception ends the
  /// loop; rest() continues after it. If `on_error` is given, it receives each SampleError in place of its batch, and
  /// the loop goes on.
  BatchRange<DeviceBatch> epoch(std::uint64_t epoch, StreamRef consumer,
                                SampleErrorHandler on_error = nullptr);

  /// Iterates over what is left of the current epoch.
  BatchRange<DeviceBatch> rest(StreamRef consumer, SampleErrorHandler on_error = nullptr);

  /// Returns the device that holds the batches.
  Device& device() const noexcept;

 private:
  class Impl;
  Impl& impl() const;  // throws ForkedProcessError in a process that was forked from the prefetcher's

  std::shared_ptr<Impl> impl_;  // never shared; deleted only in the process that made it
};

}  // namespace leat
