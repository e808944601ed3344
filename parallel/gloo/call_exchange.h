// A comparison of the calls that the ranks are about to carry out.
#pragma once

#include <gloo/context.h>

#include <chrono>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// Sends this rank's call to every other rank and receives their calls, in messages of fixed size. Returns if all
// calls agree: then every rank is in this call. Throws CommunicationError if they disagree, naming both ranks and
// calls; after the timeout, naming the missing ranks; and if a connection ends, naming its rank.
void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout);

}  // namespace leat::detail
