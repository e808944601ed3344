#include "leat/parallel/local/rendezvous_memory.h"

#include <memory>
#include <type_traits>

namespace leat::detail {

static_assert(std::is_trivially_copyable_v<RankCall>);
static_assert(SharedAtomic<std::uint32_t>::is_always_lock_free);
static_assert(SharedAtomic<std::uint64_t>::is_always_lock_free);

RendezvousMemory RendezvousMemory::create(std::span<std::byte> memory, int ranks) {
  const RendezvousMemory made(memory.data(), ranks);
  std::construct_at(&made.header());
  for (int rank = 0; rank < ranks; ++rank) std::construct_at(&made.cell(rank));
  return made;
}

}  // namespace leat::detail
