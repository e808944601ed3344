// A comparison of the calls that the ranks are about to carry out, and the data that two ranks exchange.
#pragma once

#include <gloo/context.h>

#include <chrono>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// Sends this rank's call to every other rank, or to the one with which it exchanges data, and receives their calls, in
// messages of fixed size. Returns if all calls agree: then each of these ranks is in this call. Throws Disagreement,
// PeerSilent after the timeout, and PeerLost if a connection ends.
void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout);

// Sends or receives the data of a call of send or recv on which the two ranks agree. Each 64 MiB may take the timeout.
// Throws PeerSilent and PeerLost.
void transfer(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout);

}  // namespace leat::detail
