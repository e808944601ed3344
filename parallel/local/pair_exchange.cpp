#include "leat/parallel/local/pair_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "leat/datasets/base/checked.h"

namespace leat::detail {
namespace {

class PairExchange {
 public:
  PairExchange(Rendezvous& rendezvous, const CollectiveCall& call, const ExchangePieces& pieces)
      : rendezvous_(rendezvous),
        call_(call),
        pieces_(pieces),
        own_(rendezvous.rank()),
        peer_(call.root),
        sends_(call.kind == CollectiveCall::Kind::send),
        count_(static_cast<std::uint32_t>(divide_up(call.data.bytes(), pieces.bytes))) {}

  void send() {
    std::uint32_t written = 0;
    while (written < std::min(count_, kExchangePieces)) write(written++);
    announce(written);
    while (written < count_) {
      await_taken(written + 1 - kExchangePieces);
      write(written++);
      announce(written);
    }
    await_taken(count_);
  }

  void receive() {
    announce(0);
    rendezvous_.wait_for_peer(peer_, call_, [&] { return is_here(theirs()); });
    check_agreement();
    acknowledge(0);
    for (std::uint32_t piece = 0; piece < count_; ++piece) {
      rendezvous_.wait_for_peer(peer_, call_, [&] { return theirs().pieces() > piece; });
      std::memcpy(at(piece), pieces_.place(peer_, piece), size_of_piece(piece));
      acknowledge(piece + 1);
    }
  }

 private:
  std::byte* at(std::uint32_t piece) const {
    return static_cast<std::byte*>(call_.data.data) + piece * pieces_.bytes;
  }
  std::size_t size_of_piece(std::uint32_t piece) const {
    return std::min(pieces_.bytes, call_.data.bytes() - piece * pieces_.bytes);
  }

  ExchangeState state(int with, bool sends, std::uint32_t pieces) const {
    return {with, sends, call_.number, pieces};
  }
  ExchangeState theirs() const { return ExchangeState(rendezvous_.cell(peer_).exchange.load()); }
  bool is_here(ExchangeState peers) const { return peers.same_exchange(state(own_, false, 0)); }

  void write(std::uint32_t piece) {
    std::memcpy(pieces_.place(own_, piece), at(piece), size_of_piece(piece));
  }

  void announce(std::uint32_t written) {
    RankCell& cell = rendezvous_.cell(own_);
    if (!is_announced_) {
      cell.exchanged = call_;
      cell.taken.store(0);  // numbers repeat; nobody takes anything of this rank's now
      is_announced_ = true;
    }
    cell.exchange.store(state(peer_, sends_, written).word());
    rendezvous_.ring(peer_);
  }

  void acknowledge(std::uint32_t taken) {
    rendezvous_.cell(peer_).taken.store(state(own_, false, taken).word());
    rendezvous_.ring(peer_);
  }

  void await_taken(std::uint32_t wanted) {
    bool both_send = false;
    rendezvous_.wait_for_peer(peer_, call_, [&] {
      const ExchangeState taken(rendezvous_.cell(own_).taken.load());
      if (taken.same_exchange(state(peer_, false, 0))) return taken.pieces() >= wanted;
      const ExchangeState peers = theirs();  // read once: it may change to that of the peer's next exchange
      both_send = is_here(peers) && peers.sends();
      return both_send;
    });
    if (both_send) check_agreement();
  }

  void check_agreement() {
    const CollectiveCall& other = rendezvous_.cell(peer_).exchanged;
    if (agree_to_exchange(call_, other)) return;
    const bool first = own_ < peer_;
    rendezvous_.fail_and_throw({.kind = Failure::Kind::disagreement,
                                .ranks = {std::min(own_, peer_), std::max(own_, peer_)},
                                .text = fmt::format("the ranks disagree: rank {} calls {}, rank {} calls {}",
                                                    std::min(own_, peer_), describe(first ? call_ : other),
                                                    std::max(own_, peer_), describe(first ? other : call_))});
  }

  Rendezvous& rendezvous_;
  const CollectiveCall& call_;
  const ExchangePieces& pieces_;
  const int own_;
  const int peer_;
  const bool sends_;
  const std::uint32_t count_;
  bool is_announced_ = false;
};

}  // namespace

void exchange(Rendezvous& rendezvous, const CollectiveCall& call, const ExchangePieces& pieces) {
  PairExchange both(rendezvous, call, pieces);
  if (call.kind == CollectiveCall::Kind::send) {
    both.send();
  } else {
    both.receive();
  }
}

}  // namespace leat::detail
