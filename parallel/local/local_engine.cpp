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
      memory_(RendezvousMemory::create({bytes_.data(), bytes_.size()}, ranks)),
      pieces_(static_cast<std::size_t>(ranks)) {}

void LocalMeeting::prepare_pieces(int rank) {
  DeviceBuffer& pieces = pieces_[static_cast<std::size_t>(rank)];
  if (pieces.data() == nullptr) pieces = host_device().allocate(kExchangePieces * kPieceBytes);
}

LocalEngine::LocalEngine(std::shared_ptr<LocalMeeting> meeting, int rank, std::chrono::milliseconds timeout)
    : meeting_(std::move(meeting)),
      rendezvous_(meeting_->memory(), rank, {.timeout = timeout, .find_problem = {}}),
      sources_(static_cast<std::size_t>(rendezvous_.ranks())),
      targets_(sources_.size()) {}

void LocalEngine::run(const CollectiveCall& call) {
  if (is_exchange(call)) return exchange(call);
  if (is_inline(call)) return run_inline(rendezvous_, call);
  rendezvous_.arrive({.call = call});
  // From here to depart() nothing throws: the arguments have been checked, and the ranks agree on them.
  if (call.kind == CollectiveCall::Kind::all_reduce) all_reduce(call);
  if (call.kind == CollectiveCall::Kind::reduce_scatter) reduce_scatter(call);
  if (call.kind == CollectiveCall::Kind::broadcast) broadcast(call);
  if (call.kind == CollectiveCall::Kind::all_gather) all_gather(call);
  rendezvous_.depart();
  if (call.kind == CollectiveCall::Kind::allocate) *call.allocated = private_memory(call.data.count);
}

void LocalEngine::all_reduce(const CollectiveCall& call) {
  if (size() == 1) return;
  for (std::size_t rank = 0; rank < targets_.size(); ++rank)
    sources_[rank] = targets_[rank] = rendezvous_.call_of(static_cast<int>(rank)).call.data.data;
  slice_reduce(sources_, targets_, slice_of(rank(), size(), call.data.count), call.data.dtype, call.op);
}

// Each rank reads its own part of every rank's data, so a result that lies there is in nobody's way.
void LocalEngine::reduce_scatter(const CollectiveCall& call) {
  if (size() == 1) return place_alone(call);
  const std::size_t offset = static_cast<std::size_t>(rank()) * call.result.bytes();
  for (std::size_t rank = 0; rank < sources_.size(); ++rank) {
    sources_[rank] =
        static_cast<const std::byte*>(rendezvous_.call_of(static_cast<int>(rank)).call.data.data) + offset;
  }
  void* const target = call.result.data;
  slice_reduce(sources_, {&target, 1}, {0, call.result.count}, call.result.dtype, call.op);
}

void LocalEngine::broadcast(const CollectiveCall& call) const {
  if (rank() == call.root) return;
  std::memcpy(call.data.data, rendezvous_.call_of(call.root).call.data.data, call.data.bytes());
}

void LocalEngine::all_gather(const CollectiveCall& call) const {
  for (int rank = 0; rank < size(); ++rank)
    place_gathered(call, rank, rendezvous_.call_of(rank).call.data.data);
}

void LocalEngine::exchange(const CollectiveCall& call) {
  if (call.kind == CollectiveCall::Kind::send) meeting_->prepare_pieces(rank());
  detail::exchange(rendezvous_, call,
                   {.bytes = LocalMeeting::kPieceBytes, .place = [this](int sender, std::uint32_t piece) {
                      return meeting_->piece_of(sender, piece);
                    }});
}

}  // namespace leat::detail
