#include "leat/transfer/prefetch/bounce_buffers.h"

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

std::size_t room_for(const BatchPiece& piece) {
  return align_up(piece.from.size(), BatchLayout::kAlignment);
}

}  // namespace

void BounceBuffers::write(std::byte* to, std::span<const BatchPiece> pieces,
                          std::vector<MemoryCopy>& copies) {
  std::size_t bytes = 0;
  for (const BatchPiece& piece : pieces) bytes += room_for(piece);
  Buffer& buffer = next(bytes);
  std::byte* place = buffer.memory.data();
  for (const BatchPiece& piece : pieces) {
    piece.write(place);
    copies.push_back({to + piece.to, place, piece.from.size()});
    place += room_for(piece);
  }
}

void BounceBuffers::mark_copied(StreamRef stream) {
  device_.record(buffers_[turn_]->copied, stream);
}

BounceBuffers::Buffer& BounceBuffers::next(std::size_t bytes) {
  turn_ = (turn_ + 1) % buffers_.size();
  std::optional<Buffer>& buffer = buffers_[turn_];
  if (!buffer) {
    buffer.emplace(Buffer{device_.allocate_pinned(bytes), device_.make_event()});
    return *buffer;
  }
  device_.synchronize(buffer->copied.ref());
  if (buffer->memory.size() >= bytes) return *buffer;
  const std::size_t more = std::max(bytes, buffer->memory.size() + buffer->memory.size() / 2);
  PinnedBuffer larger = device_.allocate_pinned(more);
  outgrown_.push_back(std::exchange(buffer->memory, std::move(larger)));
  return *buffer;
}

}  // namespace leat::detail
