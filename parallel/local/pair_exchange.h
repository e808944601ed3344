// An exchange of two ranks that share memory: one sends, the other receives, and no other rank takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "leat/parallel/local/rendezvous.h"

namespace leat::detail {

// Memory through which data passes, piece by piece, from the sender to the receiver.
struct ExchangePieces {
  std::size_t bytes = 0;  // of each piece
  // Returns where a piece of the sender's lies, which pieces kExchangePieces later share.
  std::function<std::byte*(int sender, std::uint32_t piece)> place;
};
inline constexpr std::uint32_t kExchangePieces = 2;  // while one is read, the other is written

// Carries out this rank's side of a call of send or recv. Returns when the receiver has all of the data; then neither
// rank reads or writes memory of the other. A rank carries out one call at a time.
//
// Each rank says in its cell with whom it exchanges what. The sender counts there the pieces that it has written; the
// receiver counts in the sender's cell those that it has taken. The receiver compares the calls before it takes the
// first one, and whoever finds that both do the same ends the communicator. A sender waits there until all is taken, so
// what it said stays; a receiver may go on at once, so nobody reads what it said except its word, and its call only
// while both receive, when neither can go on.
//
// Throws Disagreement if the two calls differ, and what Rendezvous::wait_for_peer() throws.
void exchange(Rendezvous& rendezvous, const CollectiveCall& call, const ExchangePieces& pieces);

}  // namespace leat::detail
