#include "leat/transfer/prefetch/batch_sender.h"

#include <vector>

namespace leat::detail {
namespace {

std::optional<Stream> make_output_stream(Device& device, const TransformSteps& transforms) {
  if (transforms.empty()) return std::nullopt;
  return device.make_stream(StreamPriority::high);
}

}  // namespace

BatchSender::BatchSender(Device& device, const DeviceLayout& layout, const TransformSteps& transforms,
                         TransferMeter& meter, const PinnedMemory& pinned)
    : device_(device),
      layout_(layout),
      transforms_(transforms),
      meter_(meter),
      pinned_(pinned),
      bounce_buffers_(device),
      copy_stream_(device.make_stream()),
      output_stream_(make_output_stream(device, transforms)) {}

BatchSender::Copied BatchSender::send(const HostBatch& batch, BatchPool::Part& part) {
  if (layout_.mapped_bytes() > 0) write_mapped(batch, part);
  device_.wait(copy_stream_, part.released);
  if (output_stream_) device_.wait(copy_stream_, part.ready);  // of a batch that nobody took
  const Copied copied = copy(batch, part);
  device_.record(part.copied, copy_stream_);
  const StreamRef last = output_stream_ ? *output_stream_ : copy_stream_;
  if (output_stream_) {
    device_.wait(last, part.copied);
    transforms_.enqueue(part.buffer(), part.extent, last);
  }
  meter_.ready(part.copy, last);
  device_.record(part.ready, last);
  return copied;
}

// Whoever read the buffer's last batch must be done: its consumer and, if nobody took it, the transforms.
void BatchSender::write_mapped(const HostBatch& batch, const BatchPool::Part& part) {
  const ProfilerRange range(device_, "leat: write mapped fields");
  device_.synchronize(part.released.ref());
  if (output_stream_) device_.synchronize(part.ready.ref());
  for (const BatchPiece& piece : layout_.mapped_pieces(batch, part.extent))
    piece.write(part.mapped.data() + piece.to);
}

BatchSender::Copied BatchSender::copy(const HostBatch& batch, BatchPool::Part& part) {
  Copied copied;
  TransferMeter::Bytes bytes;
  std::byte* const to = part.memory.data();
  std::vector<MemoryCopy> copies;
  std::vector<BatchPiece> others;
  for (const BatchPiece& piece : layout_.pieces(batch, part.extent)) {
    bytes.copied += piece.from.size();
    if (is_direct(piece)) {
      copies.push_back({to + piece.to, piece.from.data(), piece.from.size()});
    } else {
      bytes.bounced += piece.from.size();
      others.push_back(piece);
    }
  }
  copied.is_direct = !copies.empty();
  copied.is_bounced = !others.empty();
  if (copied.is_bounced) bounce_buffers_.write(to, others, copies);
  part.copy = meter_.start_copy(copy_stream_);
  device_.copy_all(copies, copy_stream_);
  if (copied.is_bounced) bounce_buffers_.mark_copied(copy_stream_);
  meter_.end_copy(part.copy, bytes, copy_stream_);
  return copied;
}

bool BatchSender::is_direct(const BatchPiece& piece) const noexcept {
  if (piece.start != 0) return false;
  return !device_.needs_pinned_memory() || pinned_.holds(piece.from);
}

}  // namespace leat::detail
