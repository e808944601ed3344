#include "leat/parallel/local/inline_collective.h"

#include <array>
#include <cstring>
#include <vector>

#include "leat/parallel/local/slice_reduce.h"

namespace leat::detail {
namespace {

// Reduces elements that each rank brought from `offset`, in bytes, on.
void reduce(const Rendezvous& rendezvous, const CollectiveCall& call, std::size_t offset, TensorSpan to) {
  std::vector<const void*> sources;
  sources.reserve(static_cast<std::size_t>(rendezvous.ranks()));
  for (int rank = 0; rank < rendezvous.ranks(); ++rank) sources.push_back(rendezvous.data_of(rank) + offset);
  const std::array<void*, 1> targets{to.data};
  slice_reduce(sources, targets, {0, to.count}, to.dtype, call.op);
}

}  // namespace

bool is_inline(const CollectiveCall& call) noexcept {
  return call.kind == CollectiveCall::Kind::barrier ||
         (call.kind != CollectiveCall::Kind::allocate && call.data.bytes() <= kInlineBytes);
}

void run_inline(Rendezvous& rendezvous, const CollectiveCall& call) {
  const bool brings = call.kind != CollectiveCall::Kind::broadcast || call.root == rendezvous.rank();
  const std::size_t bytes = brings ? call.data.bytes() : 0;
  rendezvous.arrive({.call = call}, {static_cast<const std::byte*>(call.data.data), bytes});
  if (call.data.count == 0) return;
  if (call.kind == CollectiveCall::Kind::all_reduce && rendezvous.ranks() > 1)
    reduce(rendezvous, call, 0, call.data);
  if (call.kind == CollectiveCall::Kind::reduce_scatter) {
    if (rendezvous.ranks() == 1) return place_alone(call);
    reduce(rendezvous, call, static_cast<std::size_t>(rendezvous.rank()) * call.result.bytes(), call.result);
  }
  if (call.kind == CollectiveCall::Kind::broadcast && !brings) {
    std::memcpy(call.data.data, rendezvous.data_of(call.root), call.data.bytes());
  }
  if (call.kind == CollectiveCall::Kind::all_gather) {
    for (int rank = 0; rank < rendezvous.ranks(); ++rank)
      place_gathered(call, rank, rendezvous.data_of(rank));
  }
}

void place_gathered(const CollectiveCall& call, int rank, const void* from) {
  void* const place =
      static_cast<std::byte*>(call.result.data) + static_cast<std::size_t>(rank) * call.data.bytes();
  if (place != from) std::memcpy(place, from, call.data.bytes());  // equal for a gather in place
}

void place_alone(const CollectiveCall& call) {
  if (call.result.data != call.data.data) std::memcpy(call.result.data, call.data.data, call.data.bytes());
}

}  // namespace leat::detail
