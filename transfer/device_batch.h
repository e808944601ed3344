/// \file
/// A batch in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"
#include "leat/loader/loader_state.h"
#include "leat/transfer/device.h"
#include "leat/transfer/row_range.h"

namespace leat {

namespace detail {
class BatchPool;
}

/// A batch, or a device's part of it, in a device buffer that is leased from a Prefetcher. Movable, not copyable.
///
/// Work enqueued after Prefetcher::next() on the stream that was passed there, the consumer's stream, sees the batch's
/// contents. Other streams must wait for the consumer's stream first, and the host must synchronize with it.
///
/// Destroying the batch gives its buffer back: work that is enqueued on the consumer's stream by then still sees the
/// contents, later work must not use them. So the consumer's stream must outlive the batch, and must wait for other
/// streams that use the batch before it is destroyed.
///
/// While the consumer's stream is being captured into a CUDA graph, no batch may be requested for it or destroyed: that
/// is a DeviceError of the prefetcher. What uses a batch may be captured.
///
/// A batch may outlive its prefetcher, and may be destroyed on any thread, also if the consumer's stream is CUDA's
/// default stream per thread: that of the thread that called Prefetcher::next(). (On another thread, no stream that
/// waits for CUDA's legacy default stream may be capturing then.) One thread at a time uses it.
class LEAT_EXPORT DeviceBatch {
 public:
  /// Takes over the lease on a part of `buffer` of `pool`; for prefetchers. The batch shares the pool, which it may
  /// outlive.
  DeviceBatch(std::shared_ptr<detail::BatchPool> pool, std::size_t buffer, std::size_t part,
              StreamRef consumer) noexcept;
  /// Takes over the lease of the other batch, which then may only be assigned to or destroyed.
  DeviceBatch(DeviceBatch&&) noexcept = default;
  /// Gives the buffer held back, and takes over the lease of `other`.
  DeviceBatch& operator=(DeviceBatch&& other) noexcept;
  ~DeviceBatch();

  std::size_t size() const noexcept;      ///< number of rows; the last batch of an epoch may be short
  std::uint64_t epoch() const noexcept;   ///< epoch to which the batch belongs
  std::uint64_t number() const noexcept;  ///< place of the batch in its epoch, from 0

  /// Returns which rows of the loader's batch these are: all, or the device's chunk.
  RowRange rows() const noexcept;
  /// Returns the number of rows of the loader's batch, on all devices together.
  std::size_t batch_size() const noexcept;

  /// Returns the number of the buffer that holds the batch, below PrefetcherOptions::buffers. As long as the prefetcher
  /// lives, batches in the same buffer of a device have their fields and results at the same addresses, so that a CUDA
  /// graph that is captured once for each buffer can be launched for every batch with as many rows. (Of ragged fields,
  /// the number of elements changes, and with it the length of rows that are padded to the longest.)
  std::size_t buffer() const noexcept { return buffer_; }

  /// Returns the dataset's index of each row, in host memory.
  std::span<const std::uint64_t> indices() const noexcept;

  /// Returns the state from which a loader continues after this batch, however far ahead the prefetcher is. Save it
  /// in the checkpoint of the step that used the batch. To resume, restore the loader before the prefetcher's first
  /// next(). Empty if the BatchSource has no state().
  const LoaderState& loader_state() const noexcept;

  /// Returns a field of fixed shape, or the result of a transform, in device memory. A field has the shape [size(),
  /// field shape...], a result the one that its transform documents. A field with a device of its own
  /// (PrefetcherOptions::placements), and results of it, have batch_size() rows instead of size(). If a result has the
  /// name of what it was made of, it is the result that is returned. A field that PrefetcherOptions::mapped names is in
  /// page-locked host memory instead, at an address that the device can read. Throws ArgumentError if there is neither.
  TensorView operator[](std::string_view name) const;

  /// Returns all values of a ragged field, in device memory: [elements, field shape...]. Throws ArgumentError if there
  /// is no such ragged field.
  TensorView ragged_values(std::string_view field) const;
  /// Returns the row offsets of a ragged field, in device memory: i64 [size() + 1]. Row r is the elements [offset r,
  /// offset r + 1); offset 0 is 0, also in the parts of a batch. Throws ArgumentError like ragged_values().
  TensorView ragged_offsets(std::string_view field) const;

  /// Returns the consumer's stream.
  StreamRef stream() const noexcept { return consumer_; }

 private:
  void release() noexcept;

  std::shared_ptr<detail::BatchPool> pool_;  // null: moved from
  std::size_t buffer_;
  std::size_t part_;
  StreamRef consumer_;
  std::uint64_t thread_;  // whose stream it is, for default streams per thread
};

}  // namespace leat
