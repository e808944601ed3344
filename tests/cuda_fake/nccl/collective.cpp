#include "tests/cuda_fake/nccl/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/cuda_fake/nccl/reduction.h"

namespace leat::cuda_fake {

namespace {

constexpr int kUndefined = 0xcd;  // bytes of a result that never came

const char* name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::transfer:
      return "transfer";
  }
  return "";
}

// Of memory that is read and written, only the writing counts.
std::vector<Range> ranges_of(const Buffers& buffers) {
  const Range from{buffers.from, buffers.from_bytes, Access::read};
  if (buffers.to_bytes == 0) return {from};
  std::vector<Range> ranges{{buffers.to, buffers.to_bytes, Access::write}};
  if (from.bytes == 0) return ranges;
  if (!overlap(from, ranges[0])) {
    ranges.push_back(from);
    return ranges;
  }
  const std::byte* const end = buffers.from + buffers.from_bytes;
  const std::byte* const written_end = buffers.to + buffers.to_bytes;
  if (buffers.from < buffers.to)
    ranges.push_back({buffers.from, static_cast<std::size_t>(buffers.to - buffers.from), Access::read});
  if (written_end < end)
    ranges.push_back({written_end, static_cast<std::size_t>(end - written_end), Access::read});
  return ranges;
}

}  // namespace

std::string to_string(const CollectiveCall& call) {
  std::string text = fmt::format("{} of {} {}", name_of(call.kind), call.count, name_of(call.type));
  if (call.kind == CollectiveKind::broadcast) text += fmt::format(" from rank {}", call.root);
  if (call.op == ncclMax) text += " (maximum)";
  if (call.op == ncclAvg) text += " (average)";
  return text;
}

NodePtr Collective::enqueue(Machine::Lock& lock, Queue& queue, std::size_t rank, const Buffers& buffers,
                            const NodePtr& after) {
  Machine& machine = Machine::get();
  const auto self = shared_from_this();
  Part& part = parts_[rank];
  part.buffers = buffers;
  std::vector<NodePtr> earlier;
  if (after != nullptr) earlier.push_back(after);
  part.arrival = machine.enqueue(lock, queue, {.name = "arrive", .run = [self, rank] { self->arrive(rank); }},
                                 std::move(earlier));
  part.end = machine.enqueue(lock, queue,
                             {.name = name_of(call_.kind),
                              .run = [self, rank] { self->finish(rank); },
                              .is_ready = [self, rank] { return self->may_end(rank); },
                              .ranges = ranges_of(buffers)});
  for (std::size_t other = 0; other < parts_.size(); ++other) {
    if (other == rank) continue;
    connect(rank, other);
    connect(other, rank);
  }
  close_parts();
  return part.end;
}

// Tells whether the rank receives data of the other one.
bool Collective::depends_on(std::size_t rank, std::size_t other) const {
  return rank != other && (!has_root() || other == call_.root);
}

void Collective::connect(std::size_t rank, std::size_t other) {
  if (depends_on(rank, other) && parts_[rank].end != nullptr && parts_[other].arrival != nullptr)
    Machine::get().add_before(parts_[rank].end, parts_[other].arrival);
}

void Collective::close_parts() {
  for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
    bool is_known = parts_[rank].end != nullptr;
    for (std::size_t other = 0; other < parts_.size(); ++other)
      is_known = is_known && (!depends_on(rank, other) || parts_[other].arrival != nullptr);
    if (is_known) Machine::get().close(parts_[rank].end);
  }
}

void Collective::arrive(std::size_t rank) {
  const Machine::Lock lock(Machine::get().mutex);
  if (static_cast<int>(ranks_[rank]) == fake_nccl().dead_rank || ++arrived_ < parts_.size() || is_broken_)
    return;
  compute();
  is_complete_ = true;
}

void Collective::compute() {
  if (has_root()) {
    const Buffers& root = parts_[call_.root].buffers;
    result_.assign(root.from_alias, root.from_alias + root.from_bytes);
    return;
  }
  if (call_.kind == CollectiveKind::all_gather) {
    for (const Part& part : parts_) {
      const std::byte* const first = part.buffers.from_alias;
      result_.insert(result_.end(), first, first + part.buffers.from_bytes);
    }
    return;
  }
  std::vector<const std::byte*> ranks;
  for (const Part& part : parts_) ranks.push_back(part.buffers.from_alias);
  const std::size_t parts = call_.kind == CollectiveKind::reduce_scatter ? ranks.size() : 1;
  result_.resize(parts * call_.count * size_of(call_.type));
  reduce(call_.type, call_.op, ranks, parts * call_.count, result_.data());
}

void Collective::finish(std::size_t rank) {
  const Machine::Lock lock(Machine::get().mutex);
  const Buffers& buffers = parts_[rank].buffers;
  if (buffers.to_bytes == 0) return;
  if (is_complete_) {
    const bool scatters = call_.kind == CollectiveKind::reduce_scatter;
    std::memcpy(buffers.to_alias, result_.data() + (scatters ? rank * buffers.to_bytes : 0),
                buffers.to_bytes);
  } else {
    std::memset(buffers.to_alias, kUndefined, buffers.to_bytes);
  }
}

void Collective::abort(std::size_t rank) {
  if (is_complete_) return;
  is_broken_ = true;
  parts_[rank].is_aborted = true;
  if (parts_[rank].end != nullptr) Machine::get().close(parts_[rank].end);
}

}  // namespace leat::cuda_fake
