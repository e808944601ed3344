// The comparison of what the ranks are about to do.
#pragma once

#include <gloo/context.h>

#include <chrono>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// Sends this rank's call to every other rank and receives theirs, in messages of fixed size. Returns when all
// agree: then every rank is in this call. Throws CommunicationError on disagreement, naming both ranks and
// calls; after the timeout, naming the ranks that are missing; and for a connection that ends, naming its
// rank.
void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout);

}  // namespace leat::detail
