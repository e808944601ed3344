#include "leat/parallel/gloo/call_exchange.h"

#include <fmt/format.h>
#include <gloo/common/error.h>
#include <gloo/transport/unbound_buffer.h>
#include <gloo/types.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "leat/parallel/host/failure.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {
namespace {

constexpr std::uint8_t kExchangeSlot = 0x40;  // Gloo's own collectives use 0x01 to 0x08

// A call as it is sent. All ranks have the same byte order.
using Message = std::array<std::uint64_t, 6>;

Message encode(const CollectiveCall& call) {
  return {static_cast<std::uint64_t>(call.kind),       static_cast<std::uint64_t>(call.op),
          static_cast<std::uint64_t>(call.root),       call.data.count,
          static_cast<std::uint64_t>(call.data.dtype), call.number};
}

CollectiveCall decode(const Message& message) {
  return {.kind = static_cast<CollectiveCall::Kind>(message[0]),
          .op = static_cast<ReduceOp>(message[1]),
          .root = static_cast<int>(message[2]),
          .data = {.data = nullptr, .count = message[3], .dtype = static_cast<DType>(message[4])},
          .number = message[5]};
}

class Exchange {
 public:
  Exchange(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout)
      : context_(context),
        call_(call),
        timeout_(timeout),
        deadline_(timeout),
        mine_(encode(call)),
        theirs_(static_cast<std::size_t>(context.size)),
        incoming_(static_cast<std::size_t>(context.size)) {}

  void run() {
    const auto slot = gloo::Slot::build(kExchangeSlot, static_cast<std::uint32_t>(call_.number));
    const auto outgoing = context_.createUnboundBuffer(mine_.data(), sizeof(Message));
    for_each_peer([&](int peer) {
      buffer_of(peer) = context_.createUnboundBuffer(message_of(peer).data(), sizeof(Message));
      buffer_of(peer)->recv(peer, slot);
      outgoing->send(peer, slot);
    });
    for_each_peer([&](int peer) { receive_from(peer); });
    for_each_peer([&](int /*peer*/) { outgoing->waitSend(deadline_.left()); });
    for_each_peer([&](int peer) { compare_with(peer); });
  }

 private:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

  template <class Visit>
  void for_each_peer(Visit visit) {
    for (int peer = 0; peer < context_.size; ++peer) {
      if (peer != context_.rank) visit(peer);
    }
  }
  Buffer& buffer_of(int peer) { return incoming_[static_cast<std::size_t>(peer)]; }
  Message& message_of(int peer) { return theirs_[static_cast<std::size_t>(peer)]; }

  void receive_from(int peer) {
    try {
      buffer_of(peer)->waitRecv(deadline_.left());
    } catch (const gloo::Exception& error) {
      if (deadline_.passed()) throw_missing(peer);
      throw PeerLost(peer, fmt::format("rank {} was lost: {}", peer, error.what()));
    }
  }

  // After a timeout Gloo ends all connections. Messages that arrived before that can still be received.
  [[noreturn]] void throw_missing(int first) {
    std::vector<int> missing{first};
    for_each_peer([&](int peer) {
      if (peer <= first) return;
      try {
        buffer_of(peer)->waitRecv(std::chrono::milliseconds(0));
      } catch (const gloo::Exception&) {
        missing.push_back(peer);
      }
    });
    throw PeerSilent(missing, fmt::format("waited {} ms; missing: {}", timeout_.count(),
                                          name_ranks(missing, context_.size)));
  }

  void compare_with(int peer) {
    const CollectiveCall other = decode(message_of(peer));
    if (agree(call_, other)) return;
    throw Disagreement({std::min(context_.rank, peer), std::max(context_.rank, peer)},
                       fmt::format("the ranks disagree: rank {} calls {}, rank {} calls {}", context_.rank,
                                   describe(call_), peer, describe(other)));
  }

  gloo::Context& context_;
  const CollectiveCall& call_;
  const std::chrono::milliseconds timeout_;
  const Deadline deadline_;
  Message mine_;
  std::vector<Message> theirs_;
  std::vector<Buffer> incoming_;
};

}  // namespace

void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout) {
  Exchange(context, call, timeout).run();
}

}  // namespace leat::detail
