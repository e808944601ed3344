// Page-locked memory on the way of bytes whose own memory is not page-locked.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/device_layout.h"

namespace leat::detail {

// Two buffers in turn: while one is copied to the device, the next batch is copied into the other one. They are
// allocated when they are first needed, and again when a batch needs more. One thread at a time uses an object.
class BounceBuffers {
 public:
  explicit BounceBuffers(Device& device) noexcept : device_(device) {}

  // Copies pieces of a batch into a buffer, and enqueues the copies from there to their places behind `to`. Waits until
  // the buffer's last copies are done. The pieces are no longer read when this returns. Throws DeviceError.
  void copy(std::byte* to, std::span<const BatchPiece> pieces, StreamRef stream);

 private:
  struct Buffer {
    PinnedBuffer memory;
    Event copied;  // its bytes are on the device
  };
  Buffer& next(std::size_t bytes);

  Device& device_;
  std::array<std::optional<Buffer>, 2> buffers_;
  std::size_t turn_ = 0;
};

}  // namespace leat::detail
