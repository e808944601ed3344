// Names for what ranks make together, again and again.
#pragma once

#include <string>

#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Returns a prefix of keys that no earlier call with this store and prefix returned on this rank. Each rank counts its
// own calls, so what it makes the n-th time meets what the other ranks make the n-th time. Throws CommunicationError.
std::string next_prefix(TcpStore& store, const std::string& prefix);

}  // namespace leat::detail
