// Finds out from the reports of all ranks why a collective does not end.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "leat/parallel/host/failure.h"
#include "leat/parallel/nccl/call_history.h"

namespace leat::detail {

// A call that did not end in time.
struct OverdueCall {
  CollectiveCall call{};
  std::chrono::milliseconds limit{};
};

// Returns what an exchange with another rank that is overdue means: PeerSilent with that rank. Reports do not contain
// exchanges.
Failure diagnose_exchange(const OverdueCall& overdue, int size);

// Takes the reports by rank; nullopt is a rank that did not answer. Returns, whichever applies first:
//  - Disagreement, if two ranks made different calls with the same number, with the two calls of the smallest such
//    number;
//  - PeerLost, if a rank has destroyed its communicator before it made the call;
//  - PeerSilent with the ranks that did not answer;
//  - PeerSilent with the ranks that have not made the call, and what they called last;
//  - a failure of kind `other`, if all ranks have made the call.
// `overdue` is a collective.
Failure diagnose_hang(const std::vector<std::optional<CallReport>>& reports, const OverdueCall& overdue);

}  // namespace leat::detail
