/// \file
/// The prefetcher, which brings batches to a device ahead of their consumer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/warning.h"
#include "leat/loader/batch_range.h"
#include "leat/transfer/batch_source.h"
#include "leat/transfer/batch_transforms.h"
#include "leat/transfer/device.h"
#include "leat/transfer/device_batch.h"
#include "leat/transfer/normalize.h"
#include "leat/transfer/prefetcher_stats.h"

namespace leat {

/// A field that goes to a device of its own.
struct LEAT_EXPORT FieldPlacement {
  std::string field{};       ///< name of a field
  Device* device = nullptr;  ///< the device that gets all rows of it
};

/// The room for a ragged field on each device.
struct LEAT_EXPORT RaggedBound {
  std::string field{};  ///< name of a ragged field
  std::size_t elements =
      0;  ///< greatest number of elements of all rows together that a device gets of a batch
};

/// Options of a Prefetcher.
struct LEAT_EXPORT PrefetcherOptions {
  std::size_t buffers = 2;                      ///< number of buffers on each device; 2 is double buffering
  std::vector<FieldNormalization> normalize{};  ///< fields of pixels that the device normalizes
  std::vector<BatchTransform> transforms{};     ///< what the device computes after that, in order
  std::vector<FieldPlacement> placements{};     ///< fields that are not divided among the devices
  std::vector<RaggedBound> ragged_bounds{};  ///< ragged fields with less room than rows * max_length elements
  std::vector<std::string> mapped{};         ///< fields that stay in host memory, where the device reads them
  WarningHandler on_warning{};               ///< receives warnings; if empty, they are printed to stderr
};

/// Copies batches to one or more devices while their consumer works on earlier ones. Movable, not copyable.
///
/// Several devices divide the rows of each batch as chunk_rows() does, in their order: of 10 rows, four devices get 3,
/// 3, 3 and 1. If a batch is short, the last devices may get none. A field with a device of its own
/// (PrefetcherOptions::placements) is not divided.
///
/// A batch goes from the loader's memory to a device's buffer in one asynchronous copy, on a stream of the prefetcher;
/// in one copy for each field if the device does not get the whole batch or if a field is ragged, which one call
/// enqueues together (Device::copy_all()). Of a ragged field, only the elements that the rows have are copied. The
/// loader's memory is page-locked once, for all devices. What is not page-locked is copied once more, through
/// page-locked buffers of the prefetcher: the values of ragged fields, slots that a loader adds while it waits for a
/// slow sample, or all memory if the system refuses to lock it, of which a warning tells. So every copy to a device
/// runs beside the host. Transforms run on a second stream, of high priority.
///
/// Fields that PrefetcherOptions::mapped names are not copied to the device. Each buffer has page-locked host memory
/// for them, which kernels read over the bus. That is faster than a copy if kernels read little of the field, slower if
/// they read all of it. The prefetcher's thread writes the rows there. It must not do so while a kernel may still read
/// the rows of the buffer's last batch. So it waits until the consumer's stream has passed the point where that batch
/// was given back, and prefetches nothing else meanwhile: of N buffers, N - 1 hold batches that are ahead of the
/// consumer's stream, where without mapped fields all N do. Take one buffer more. Transforms may read mapped fields,
/// but a result cannot take the name of one. Ragged fields cannot be mapped.
///
/// If all devices tell the same Device::numa_node(), the loader's memory is moved to that node before it is
/// page-locked, and the prefetcher's thread copies on those of the node's CPUs that the process may use. The consumer's
/// thread and the loader's workers are left alone. If the system refuses, or the devices tell different nodes or none,
/// memory and threads stay where they are, without a warning.
///
/// Each device has memory for PrefetcherOptions::buffers batches: its share of the rows, with max_length elements for
/// each row of a ragged field unless a RaggedBound says less, and the results of transforms. A batch beyond that bound
/// is an ArgumentError in its place.
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
  /// Prefetches from a loader to several devices, on the same terms: Prefetcher feed(loader, {gpu0, gpu1}). Throws
  /// ArgumentError also if a device is listed twice, or if there are so many that one would never get a row.
  Prefetcher(DataLoader& loader, const std::vector<std::reference_wrapper<Device>>& devices,
             const PrefetcherOptions& options = {});
  /// Prefetches from another source of batches to several devices.
  Prefetcher(BatchSource source, const std::vector<std::reference_wrapper<Device>>& devices,
             const PrefetcherOptions& options = {});
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
  /// The calling thread waits for the loader; it waits for the device only when all buffers are in use, and for mapped
  /// fields.
  ///
  /// Throws what the loader throws, in place of the batch that it could not load: after a SampleError the epoch goes
  /// on; after any other error, the next call asks the loader again. Throws what fails on the device, mostly
  /// DeviceError, in this call and in all later ones. Throws SlotsHeldError if batches in all buffers are held, by
  /// whichever threads: it does not wait for another thread to give one back. Throws ForkedProcessError in a process
  /// that was forked from the prefetcher's.
  ///
  /// Throws ArgumentError if there are several devices, or if the stream is of another device.
  std::optional<DeviceBatch> next(StreamRef consumer);

  /// Returns the next batch as its parts on all devices, in the order of devices(). A device that gets no row has none,
  /// so DeviceBatch::stream() tells whose part it is, not its place. Returns nothing at the end of the epoch.
  /// `consumers` holds a stream of each device, in that order. The buffers are filled again when all parts of a batch
  /// are given back. Throws as the other next() does.
  std::vector<DeviceBatch> next(std::span<const StreamRef> consumers);

  /// Begins an epoch at once and drops what is left of the current one. What the loader throws then, next() throws.
  void start_epoch(std::uint64_t epoch);

  /// Begins an epoch and iterates over it: for (DeviceBatch& batch : feed.epoch(3, stream)). An exception ends the
  /// loop; rest() continues after it. If `on_error` is given, it receives each SampleError in place of its batch, and
  /// the loop goes on.
  BatchRange<DeviceBatch> epoch(std::uint64_t epoch, StreamRef consumer,
                                SampleErrorHandler on_error = nullptr);

  /// Iterates over what is left of the current epoch.
  BatchRange<DeviceBatch> rest(StreamRef consumer, SampleErrorHandler on_error = nullptr);

  /// Iterates over the batches of an epoch, each as its parts on all devices:
  /// for (std::vector<DeviceBatch>& parts : feed.epoch(3, streams)). The streams must outlive the loop.
  BatchRange<std::vector<DeviceBatch>> epoch(std::uint64_t epoch, std::span<const StreamRef> consumers,
                                             SampleErrorHandler on_error = nullptr);
  /// Iterates over what is left of the current epoch, in parts.
  BatchRange<std::vector<DeviceBatch>> rest(std::span<const StreamRef> consumers,
                                            SampleErrorHandler on_error = nullptr);

  /// Returns what has been done so far. To be called by the thread that uses next(). Throws DeviceError if a device is
  /// lost.
  PrefetcherStats stats() const;

  /// Returns the devices that hold the batches: those of the constructor, then those that are only named by a field.
  std::span<Device* const> devices() const noexcept;
  /// Returns the first device.
  Device& device() const noexcept { return *devices().front(); }

 private:
  class Impl;
  Impl& impl() const;  // throws ForkedProcessError in a process that was forked from the prefetcher's

  std::shared_ptr<Impl> impl_;  // never shared; deleted only in the process that made it
};

}  // namespace leat
