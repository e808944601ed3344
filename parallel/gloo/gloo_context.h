// Gloo connections between all ranks.
#pragma once

#include <gloo/context.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Waits for all ranks and connects every pair of them. The context's own thread has all signals blocked (so it gets
// no SIGPIPE) and runs as SCHED_BATCH. Throws PeerSilent for ranks that do not arrive, else CommunicationError.
std::shared_ptr<gloo::Context> connect_all(TcpStore& store, const std::string& prefix,
                                           std::chrono::milliseconds timeout);

// Returns the peer whose connection failed with `problem`, a text that is or contains the text of a Gloo error. Call
// it only after a failure, because it uses the connections. (Gloo's own text names only an address, by which the
// ranks do not know each other.)
std::optional<int> failed_peer(gloo::Context& context, const std::string& problem);

// Ends all connections: every thread that waits, here or on a peer, gets a gloo::IoException. To do so, it starts a
// wait that times out at once; Gloo offers no other way to end a wait from outside.
void disconnect_all(gloo::Context& context);

}  // namespace leat::detail
