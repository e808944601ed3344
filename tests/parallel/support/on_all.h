// Runs a check on all ranks of a group that it makes.
#pragma once

#include <chrono>
#include <functional>

#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"

namespace leat::test {

inline constexpr std::chrono::seconds kPatience{20};  // no test waits for it to pass

inline void on_all(const GroupMaker& make, int ranks,
                   const std::function<void(Communicator&, StreamRef)>& body) {
  const Group group = make(ranks, kPatience);
  run_ranks(ranks, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    expect_equal(communicator.rank(), rank, "rank()");
    expect_equal(communicator.size(), ranks, "size()");
    const Stream stream = communicator.device().make_stream();
    body(communicator, stream);
  });
}

}  // namespace leat::test
