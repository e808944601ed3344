// Gloo's connections between all ranks.
#pragma once

#include <gloo/context.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Waits for all ranks and connects each with each. The context's own thread has all signals blocked (so no
// SIGPIPE) and runs as SCHED_BATCH. Throws CommunicationError, naming a rank that does not come.
std::shared_ptr<gloo::Context> connect_all(TcpStore& store, const std::string& prefix,
                                           std::chrono::milliseconds timeout);

// The peer whose connection failed with `problem`, the text of a Gloo error, or a text that contains it. Ask
// only after a failure: it uses the connections. (Gloo's own text names an address that the ranks do not know
// each other by.)
std::optional<int> failed_peer(gloo::Context& context, const std::string& problem);

// Ends all connections: whoever waits, here or on a peer, gets a gloo::IoException. What does it is a wait
// that times out at once; Gloo offers no other way to end a wait from outside.
void disconnect_all(gloo::Context& context);

}  // namespace leat::detail
