// Groups over shared memory within this process: one store, one communicator and mappings of its own for each rank.
#pragma once

#include "leat/parallel/shared_memory_communicator.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

inline Group shared_memory_group(const Stores& stores, const SharedMemoryOptions& options) {
  Group group(stores.size());
  run_ranks(static_cast<int>(stores.size()), [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    group[r] = make_shared_memory_communicator(stores[r], options);
  });
  return group;
}

inline Group shared_memory_group(int ranks, std::chrono::milliseconds timeout) {
  return shared_memory_group(loopback_stores(ranks), {.timeout = timeout, .connect_timeout = timeout});
}

}  // namespace leat::test
