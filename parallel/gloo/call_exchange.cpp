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

// Gloo's own collectives use 0x01 to 0x08; 0x41 is the probe of gloo_context.cpp.
constexpr std::uint8_t kExchangeSlot = 0x40;
constexpr std::uint8_t kPairSlot = 0x42;
constexpr std::uint8_t kDataSlot = 0x43;

// A timeout is of each part, so that it need not be longer for more data.
constexpr std::size_t kPartBytes = std::size_t{64} << 20;

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

std::vector<int> peers_of(const gloo::Context& context, const CollectiveCall& call) {
  if (is_exchange(call)) return {call.root};
  std::vector<int> peers;
  for (int rank = 0; rank < context.size; ++rank) {
    if (rank != context.rank) peers.push_back(rank);
  }
  return peers;
}

class Exchange {
 public:
  Exchange(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout)
      : context_(context),
        call_(call),
        timeout_(timeout),
        deadline_(timeout),
        peers_(peers_of(context, call)),
        mine_(encode(call)),
        theirs_(peers_.size()),
        incoming_(peers_.size()) {}

  void run() {
    const auto slot = gloo::Slot::build(is_exchange(call_) ? kPairSlot : kExchangeSlot,
                                        static_cast<std::uint32_t>(call_.number));
    const auto outgoing = context_.createUnboundBuffer(mine_.data(), sizeof(Message));
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      incoming_[i] = context_.createUnboundBuffer(theirs_[i].data(), sizeof(Message));
      incoming_[i]->recv(peers_[i], slot);
      outgoing->send(peers_[i], slot);
    }
    for (std::size_t i = 0; i < peers_.size(); ++i) receive_from(i);
    for (std::size_t i = 0; i < peers_.size(); ++i) outgoing->waitSend(deadline_.left());
    for (std::size_t i = 0; i < peers_.size(); ++i) compare_with(i);
  }

 private:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

  void receive_from(std::size_t index) {
    try {
      incoming_[index]->waitRecv(deadline_.left());
    } catch (const gloo::Exception& error) {
      if (deadline_.passed()) throw_missing(index);
      throw PeerLost(peers_[index], fmt::format("rank {} was lost: {}", peers_[index], error.what()));
    }
  }

  // After a timeout Gloo ends all connections. Messages that arrived before that can still be received.
  [[noreturn]] void throw_missing(std::size_t first) {
    std::vector<int> missing{peers_[first]};
    for (std::size_t i = first + 1; i < peers_.size(); ++i) {
      try {
        incoming_[i]->waitRecv(std::chrono::milliseconds(0));
      } catch (const gloo::Exception&) {
        missing.push_back(peers_[i]);
      }
    }
    throw PeerSilent(missing, fmt::format("waited {} ms; missing: {}", timeout_.count(),
                                          name_ranks(missing, context_.size)));
  }

  void compare_with(std::size_t index) {
    const CollectiveCall other = decode(theirs_[index]);
    if (is_exchange(call_) ? agree_to_exchange(call_, other) : agree(call_, other)) return;
    const int peer = peers_[index];
    throw Disagreement({std::min(context_.rank, peer), std::max(context_.rank, peer)},
                       fmt::format("the ranks disagree: rank {} calls {}, rank {} calls {}", context_.rank,
                                   describe(call_), peer, describe(other)));
  }

  gloo::Context& context_;
  const CollectiveCall& call_;
  const std::chrono::milliseconds timeout_;
  const Deadline deadline_;
  const std::vector<int> peers_;
  Message mine_;
  std::vector<Message> theirs_;  // of each peer, as the next
  std::vector<Buffer> incoming_;
};

}  // namespace

void exchange_calls(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout) {
  Exchange(context, call, timeout).run();
}

void transfer(gloo::Context& context, const CollectiveCall& call, std::chrono::milliseconds timeout) {
  const int peer = call.root;
  const auto slot = gloo::Slot::build(kDataSlot, static_cast<std::uint32_t>(call.number));
  const std::size_t bytes = call.data.bytes();
  const auto buffer = context.createUnboundBuffer(call.data.data, bytes);
  for (std::size_t done = 0; done < bytes; done += kPartBytes) {
    const Deadline deadline(timeout);
    const std::size_t part = std::min(kPartBytes, bytes - done);
    try {
      if (call.kind == CollectiveCall::Kind::send) {
        buffer->send(peer, slot, done, part);
        buffer->waitSend(timeout);
      } else {
        buffer->recv(peer, slot, done, part);
        buffer->waitRecv(timeout);
      }
    } catch (const gloo::Exception& error) {
      if (!deadline.passed()) throw PeerLost(peer, fmt::format("rank {} was lost: {}", peer, error.what()));
      throw PeerSilent({peer}, fmt::format("waited {} ms for data; missing: {}", timeout.count(),
                                           name_ranks({peer}, context.size)));
    }
  }
}

}  // namespace leat::detail
