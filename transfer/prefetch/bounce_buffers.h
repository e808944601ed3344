// Page-locked memory on the way of bytes whose own memory is not page-locked.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/device_layout.h"

namespace leat::detail {

// Two buffers in turn: while one is copied to the device, the next batch is written into the other one. They are
// allocated when they are first needed, and again when a batch needs more. Those that have become too small are freed
// with the object: freeing page-locked memory waits for all work of the GPU, also for what waits for other ranks. One
// thread at a time uses an object.
class BounceBuffers {
 public:
  explicit BounceBuffers(Device& device) noexcept : device_(device) {}

  // Writes pieces of a batch into the next buffer, and appends to `copies` those from there to their places behind
  // `to`. Waits until the buffer's last copies are done. The pieces are no longer read when this returns. Once the
  // copies are enqueued, mark_copied() must follow. Throws DeviceError.
  void write(std::byte* to, std::span<const BatchPiece> pieces, std::vector<MemoryCopy>& copies);
  // Says that the copies from the buffer of the last write() are enqueued on the stream. Throws DeviceError.
  void mark_copied(StreamRef stream);

 private:
  struct Buffer {
    PinnedBuffer memory;
    Event copied;  // its bytes are on the device
  };
  Buffer& next(std::size_t bytes);

  Device& device_;
  std::array<std::optional<Buffer>, 2> buffers_;
  std::vector<PinnedBuffer> outgrown_;
  std::size_t turn_ = 1;  // the buffer of the last write()
};

}  // namespace leat::detail
