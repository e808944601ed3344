#include "leat/parallel/gloo/signaling_device.h"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include <exception>
#include <mutex>

namespace leat::detail {
namespace {

namespace tcp = gloo::transport::tcp;

// Gloo lets a derived class access a buffer's signalException(), but call it only on itself.
struct BufferAccess : tcp::UnboundBuffer {
  static constexpr auto kSignal = &BufferAccess::signalException;
};

// One connection. Threads: as for Gloo's Pair. What is overridden here runs with its m_ held, on Gloo's thread or on
// the thread that ends the connections. A buffer's lock is taken under m_, as in Gloo, never the other way around.
class SignalingPair final : public tcp::Pair {
 public:
  using tcp::Pair::Pair;
  SignalingPair(const SignalingPair&) = delete;
  SignalingPair& operator=(const SignalingPair&) = delete;

  // Gloo's thread must not call into a half-destroyed object. Gloo's own derived pair (TLS) does the same.
  ~SignalingPair() override {
    const std::lock_guard lock(m_);
    if (state_ != CLOSED) SignalingPair::changeState(CLOSED);
  }

 private:
  // After every failure, Gloo sets ex_, wakes the waiters whose message has not begun, and then calls this.
  void changeState(state next) noexcept override {
    if (next == CLOSED && ex_) {
      signal(rx_);
      for (const tcp::Op& op : tx_) signal(op);
    }
    tcp::Pair::changeState(next);
  }

  void signal(const tcp::Op& op) noexcept {
    const gloo::NonOwningPtr<tcp::UnboundBuffer> buffer(op.ubuf);
    if (buffer) (buffer.operator->()->*BufferAccess::kSignal)(ex_);
  }
};

class SignalingContext final : public tcp::Context {
 public:
  using tcp::Context::Context;

  std::unique_ptr<gloo::transport::Pair>& createPair(int peer) override {
    auto& pair = pairs_[static_cast<std::size_t>(peer)];
    pair = std::make_unique<SignalingPair>(this, device_.get(), peer, getTimeout());
    return pair;
  }
};

class SignalingDevice final : public tcp::Device {
 public:
  using tcp::Device::Device;

  std::shared_ptr<gloo::transport::Context> createContext(int own, int world_size) override {
    return std::make_shared<SignalingContext>(shared_from_this(), own, world_size);
  }
};

}  // namespace

std::shared_ptr<gloo::transport::Device> make_signaling_device(const std::string& address) {
  return std::make_shared<SignalingDevice>(tcp::CreateDeviceAttr(tcp::attr(address.c_str())));
}

}  // namespace leat::detail
