#include "leat/loader/engine/slot_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace leat::detail {

namespace {

int track_of(std::size_t slot) {
  return Trace::kFirstSlot + static_cast<int>(slot);
}

}  // namespace

void SlotTrace::opened(std::size_t slot) {
  if (trace_) trace_->name_track(track_of(slot), fmt::format("spare slot {}", slot));
}

void SlotTrace::delivered(std::size_t slot, const BatchDescriptor& descriptor, std::uint64_t published_ns) {
  if (!trace_) return;
  const std::string arguments =
      fmt::format(R"("epoch":{},"batch":{},"slot":{})", descriptor.epoch, descriptor.number, slot);
  std::uint64_t ended = published_ns;
  for (std::size_t chunk = 0; chunk < descriptor.chunks(); ++chunk) {
    const ChunkTiming timing = table_->timing(slot, chunk);
    const std::size_t rows = descriptor.last_row(chunk) - descriptor.first_row(chunk);
    trace_->span(Trace::kFirstWorker + static_cast<int>(timing.worker),
                 fmt::format("{} row{} of batch {}", rows, rows == 1 ? "" : "s", descriptor.number),
                 timing.began_ns, timing.ended_ns, arguments);
    ended = std::max(ended, timing.ended_ns);
  }
  const std::uint64_t now = steady_ns();
  trace_->span(track_of(slot), "loading", published_ns, ended, arguments);
  trace_->span(track_of(slot), "ready", ended, now, arguments);
  if (leased_since_ns_.size() <= slot) leased_since_ns_.resize(slot + 1);
  leased_since_ns_[slot] = now;
}

void SlotTrace::released(std::size_t slot) {
  if (trace_) trace_->span(track_of(slot), "leased", leased_since_ns_[slot], steady_ns());
}

}  // namespace leat::detail
