#include "leat/parallel/local/local_engine.h"

#include <cstring>
#include <utility>
#include <vector>

#include "leat/parallel/host/private_memory.h"
#include "leat/parallel/local/inline_collective.h"
#include "leat/parallel/local/slice_reduce.h"

namespace leat::detail {

LocalMeeting::LocalMeeting(int ranks)
    : bytes_(host_device().allocate(RendezvousMemory::bytes_for(ranks))),
      memory_(RendezvousMemory::create({bytes_.data(), bytes_.size()}, ranks)) {}

LocalEngine::LocalEngine(std::shared_ptr<LocalMeeting> meeting, int rank, std::chrono::milliseconds timeout)
    : meeting_(std::move(meeting)),
      rendezvous_(meeting_->memory(), rank, {.timeout = timeout, .find_problem = {}}) {}

void LocalEngine::run(const CollectiveCall& call) {
  if (is_inline(call)) return run_inline(rendezvous_, call);
  rendezvous_.arrive({.call = call});
  // From here to depart() nothing throws: the arguments have been checked, and the ranks agree on them.
  if (call.kind == CollectiveCall::Kind::all_reduce) all_reduce(call);
  if (call.kind == CollectiveCall::Kind::broadcast) broadcast(call);
  if (call.kind == CollectiveCall::Kind::all_gather) all_gather(call);
  rendezvous_.depart();
  if (call.kind == CollectiveCall::Kind::allocate) *call.allocated = private_memory(call.data.count);
}

void LocalEngine::all_reduce(const CollectiveCall& call) const {
  if (size() == 1) return;
  std::vector<void*> buffers;
  for (int rank = 0; rank < size(); ++rank) buffers.push_back(rendezvous_.call_of(rank).call.data.data);
  const std::vector<const void*> sources(buffers.begin(), buffers.end());
  slice_reduce(sources, buffers, slice_of(rank(), size(), call.data.count), call.data.dtype, call.op);
}

void LocalEngine::broadcast(const CollectiveCall& call) const {
  if (rank() == call.root) return;
  std::memcpy(call.data.data, rendezvous_.call_of(call.root).call.data.data, call.data.bytes());
}

void LocalEngine::all_gather(const CollectiveCall& call) const {
  for (int rank = 0; rank < size(); ++rank)
    place_gathered(call, rank, rendezvous_.call_of(rank).call.data.data);
}

}  // namespace leat::detail
