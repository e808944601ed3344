// What it means for the ranks of a store that they cannot reach it any more.
#pragma once

#include <string_view>

#include "leat/parallel/host/failure.h"
#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Returns the loss of the rank that serves the store if it is one of the store's world; otherwise a failure that says
// so.
Failure lost_store(const TcpStore& store, std::string_view detail);

}  // namespace leat::detail
