// A comparison of the calls that the ranks are about to carry out.
#pragma once

#include <gloo/context.h>

#include <chrono>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// Sends this rank's call to every other rank and receives their calls, in messages of fixed size. Returns if all
// calls agree: then every rank is in this call. Throws Disagreement, PeerSilent after the timeout, and PeerLost if a
// connection ends.
void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout);

}  // namespace leat::detail
