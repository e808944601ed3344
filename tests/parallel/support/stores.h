// Stores of all ranks of a world within this process, at a free port of the loopback interface.
#pragma once

#include <chrono>
#include <memory>

#include "leat/parallel/tcp_store.h"
#include "tests/parallel/support/groups.h"

namespace leat::test {

inline WorldSettings loopback_world(int rank, int world_size, std::uint16_t port = 0) {
  return {.rank = rank,
          .world_size = world_size,
          .local_rank = rank,
          .master_address = "127.0.0.1",
          .master_port = port};
}

using Stores = Ranks<std::shared_ptr<TcpStore>>;

inline Stores loopback_stores(int ranks, std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  Stores stores;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint16_t port = rank == 0 ? std::uint16_t{0} : stores[0]->port();
    stores.push_back(std::make_shared<TcpStore>(loopback_world(rank, ranks, port), timeout));
  }
  return stores;
}

}  // namespace leat::test
