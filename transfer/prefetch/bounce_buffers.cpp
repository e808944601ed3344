#include "leat/transfer/prefetch/bounce_buffers.h"

#include <cstring>

namespace leat::detail {

void BounceBuffers::copy(void* to, std::span<const std::byte> batch, StreamRef stream) {
  Buffer& buffer = next();
  device_.synchronize(buffer.copied.ref());
  std::memcpy(buffer.memory.data(), batch.data(), batch.size());
  device_.copy(to, buffer.memory.data(), batch.size(), stream);
  device_.record(buffer.copied, stream);
}

BounceBuffers::Buffer& BounceBuffers::next() {
  std::optional<Buffer>& buffer = buffers_[turn_];
  if (!buffer) buffer.emplace(Buffer{device_.allocate_pinned(bytes_), device_.make_event()});
  turn_ = (turn_ + 1) % buffers_.size();
  return *buffer;
}

}  // namespace leat::detail
