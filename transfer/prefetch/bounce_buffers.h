// Page-locked memory on the way of batches whose own memory is not page-locked.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "leat/transfer/device.h"

namespace leat::detail {

// Two buffers in turn: while one is copied to the device, the next batch is copied into the other one. They are
// allocated when they are first needed. One thread at a time uses an object.
class BounceBuffers {
 public:
  BounceBuffers(Device& device, std::size_t bytes) noexcept : device_(device), bytes_(bytes) {}

  // Copies a batch of the given number of bytes, at most, into a buffer, and enqueues the copy from there. Waits until
  // the buffer's last copy is done. The batch's own memory is no longer read when this returns. Throws DeviceError.
  void copy(void* to, std::span<const std::byte> batch, StreamRef stream);

 private:
  struct Buffer {
    PinnedBuffer memory;
    Event copied;  // its bytes are on the device
  };
  Buffer& next();

  Device& device_;
  const std::size_t bytes_;
  std::array<std::optional<Buffer>, 2> buffers_;
  std::size_t turn_ = 0;
};

}  // namespace leat::detail
