#include "leat/parallel/local/local_engine.h"

#include <cstring>
#include <vector>

#include "leat/parallel/local/slice_reduce.h"

namespace leat::detail {

void LocalEngine::run(const CollectiveCall& call) {
  rendezvous_->arrive(rank_, call);
  // From here to depart() nothing throws: the arguments have been checked, and the ranks agree on them.
  if (call.data.count > 0) {
    if (call.kind == CollectiveCall::Kind::all_reduce) all_reduce(call);
    if (call.kind == CollectiveCall::Kind::broadcast) broadcast(call);
    if (call.kind == CollectiveCall::Kind::all_gather) all_gather(call);
  }
  rendezvous_->depart();
}

void LocalEngine::all_reduce(const CollectiveCall& call) {
  if (size() == 1) return;
  std::vector<void*> buffers;
  buffers.reserve(static_cast<std::size_t>(size()));
  for (int rank = 0; rank < size(); ++rank) buffers.push_back(rendezvous_->call_of(rank).data.data);
  slice_reduce(buffers, slice_of(rank_, size(), call.data.count), call.data.dtype, call.op);
}

void LocalEngine::broadcast(const CollectiveCall& call) {
  if (rank_ == call.root) return;
  std::memcpy(call.data.data, rendezvous_->call_of(call.root).data.data, call.data.bytes());
}

void LocalEngine::all_gather(const CollectiveCall& call) {
  for (int rank = 0; rank < size(); ++rank) {
    void* place =
        static_cast<std::byte*>(call.gathered.data) + static_cast<std::size_t>(rank) * call.data.bytes();
    const void* from = rendezvous_->call_of(rank).data.data;
    if (place != from) std::memcpy(place, from, call.data.bytes());  // equal for a gather in place
  }
}

}  // namespace leat::detail
