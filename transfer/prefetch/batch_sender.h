// The way of batches to one device.
#pragma once

#include <cstddef>
#include <optional>

#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/batch_pool.h"
#include "leat/transfer/prefetch/bounce_buffers.h"
#include "leat/transfer/prefetch/device_layout.h"
#include "leat/transfer/prefetch/pinned_memory.h"
#include "leat/transfer/prefetch/transform_steps.h"

namespace leat::detail {

// Enqueues, for each batch, on a stream of its own: a wait for `released` of the part, the copies, `copied`; then, on a
// second stream of high priority if there are transforms, a wait for `copied`, the transforms, `ready`. So the next
// batch is copied while this one is transformed. Mapped fields are written before that, by the host, which waits for
// `released` itself.
//
// The destructor waits for the copies and transforms that are enqueued. One thread at a time uses an object.
class BatchSender {
 public:
  // `pinned` is the memory of batches that is page-locked.
  BatchSender(Device& device, const DeviceLayout& layout, const TransformSteps& transforms,
              TransferMeter& meter, const PinnedMemory& pinned);

  struct Copied {
    bool is_direct =
        false;  // from the batch's own memory, which is read until `copied` of the part has passed
    bool is_bounced = false;  // through page-locked memory, since the batch's own is not
  };
  // Writes the mapped fields of the device's part of a batch, then enqueues the copies and the transforms. Both kinds
  // of copies run beside the host. Throws DeviceError, and what failed on the streams that are waited for.
  Copied send(const HostBatch& batch, BatchPool::Part& part);

 private:
  void write_mapped(const HostBatch& batch, const BatchPool::Part& part);
  Copied copy(const HostBatch& batch, BatchPool::Part& part);
  bool is_direct(const BatchPiece& piece) const noexcept;

  Device& device_;
  const DeviceLayout& layout_;
  const TransformSteps& transforms_;
  TransferMeter& meter_;
  const PinnedMemory& pinned_;
  BounceBuffers bounce_buffers_;
  const Stream copy_stream_;  // behind the buffers that it uses: its destructor waits for the copies
  const std::optional<Stream> output_stream_;  // none without transforms
};

}  // namespace leat::detail
