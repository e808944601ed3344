// Gloo groups within this process: one store and one communicator for each rank.
#pragma once

#include "leat/parallel/gloo_communicator.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

inline Group gloo_group(const Stores& stores, std::chrono::milliseconds timeout) {
  Group group(stores.size());
  run_ranks(static_cast<int>(stores.size()), [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    group[r] = make_gloo_communicator(stores[r], {.timeout = timeout});
  });
  return group;
}

inline Group gloo_group(int ranks, std::chrono::milliseconds timeout) {
  return gloo_group(loopback_stores(ranks), timeout);
}

}  // namespace leat::test
