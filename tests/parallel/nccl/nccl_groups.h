// Groups of NCCL communicators in one process. Rank n has GPU n.
#pragma once

#include <chrono>

#include "leat/parallel/nccl_communicator.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

inline Group nccl_group(const Stores& stores, std::chrono::milliseconds timeout) {
  Group group(stores.size());
  run_ranks(static_cast<int>(stores.size()), [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    group[r] = make_nccl_communicator(stores[r], cuda_device(rank), {.timeout = timeout});
  });
  return group;
}

// Makes a group with stores of its own.
inline Group nccl_ranks(int ranks, std::chrono::milliseconds timeout) {
  return nccl_group(loopback_stores(ranks), timeout);
}

}  // namespace leat::test
