#include "leat/parallel/gloo/signalling_device.h"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include <exception>
#include <mutex>

namespace leat::detail {
namespace {

namespace tcp = gloo::transport::tcp;

// Gloo lets derived classes name a buffer's signalException(), but call it on themselves only.
struct BufferAccess : tcp::UnboundBuffer {
  static constexpr auto kSignal = &BufferAccess::signalException;
};

// One connection. Threads: as Gloo's Pair; what is overridden here runs with its m_ held, on Gloo's thread or
// on the one that ends the connections. A buffer's lock is taken under m_, as Gloo does, never the other way.
class SignallingPair final : public tcp::Pair {
 public:
  using tcp::Pair::Pair;
  SignallingPair(const SignallingPair&) = delete;
  SignallingPair& operator=(const SignallingPair&) = delete;

  // Gloo's thread must not call into what is half destroyed; its own derived pair (TLS) does the same.
  ~SignallingPair() override {
    const std::lock_guard lock(m_);
    if (state_ != CLOSED) SignallingPair::changeState(CLOSED);
  }

 private:
  // Every failure sets ex_, wakes those whose message has not begun, and then comes here.
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

class SignallingContext final : public tcp::Context {
 public:
  using tcp::Context::Context;

  std::unique_ptr<gloo::transport::Pair>& createPair(int peer) override {
    auto& pair = pairs_[static_cast<std::size_t>(peer)];
    pair = std::make_unique<SignallingPair>(this, device_.get(), peer, getTimeout());
    return pair;
  }
};

class SignallingDevice final : public tcp::Device {
 public:
  using tcp::Device::Device;

  std::shared_ptr<gloo::transport::Context> createContext(int own, int world_size) override {
    return std::make_shared<SignallingContext>(shared_from_this(), own, world_size);
  }
};

}  // namespace

std::shared_ptr<gloo::transport::Device> make_signalling_device(const std::string& address) {
  return std::make_shared<SignallingDevice>(tcp::CreateDeviceAttr(tcp::attr(address.c_str())));
}

}  // namespace leat::detail
