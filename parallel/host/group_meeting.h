// The way in which ranks make sure that they make the same group.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Waits until all ranks of a group have called this with the same list, and returns a name for the group that no other
// group has. `ranks` must pass check_group(). Ranks that call it several times with one list make a group each time.
// All ranks in errors are ranks of the store's world.
//
// Each rank tells in the store which group it makes. Two ranks that make different groups, both of which contain both
// ranks, would wait for each other for ever: each has come to its group first, and not to the other's. They throw
// Disagreement at once. Ranks that do not come within `timeout` are a PeerSilent, which tells what they did instead;
// the first error of a rank ends the meeting for all.
std::string meet_group(TcpStore& store, std::span<const int> ranks, std::chrono::milliseconds timeout);

}  // namespace leat::detail
