#include "leat/parallel/tcp_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/host/call_checks.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/store_protocol.h"
#include "leat/parallel/store/store_server.h"
#include "leat/parallel/store/tcp_socket.h"

namespace leat {

using namespace detail;

namespace {

// Time allowed for a reply beyond the requested wait, for the network and a busy machine.
constexpr auto kReplyGrace = std::chrono::seconds(10);
constexpr auto kGoodbyePatience = std::chrono::seconds(10);

}  // namespace

class TcpStore::Impl {
 public:
  Impl(const WorldSettings& world, std::chrono::milliseconds timeout);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const WorldSettings& world() const noexcept { return world_; }
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  const std::string& local_address() const noexcept { return local_address_; }
  StoreReply request(const StoreRequest& request);

 private:
  void say_hello(const Deadline& deadline);
  StoreReply receive_reply(const Deadline& deadline);  // mutex_ must be held

  // Constant after construction.
  WorldSettings world_;
  const std::chrono::milliseconds timeout_;
  const ProcessIdentity owner_;
  ProcessOwned<StoreServer> server_;  // null except on rank 0
  std::string local_address_;

  // Guarded by mutex_.
  std::mutex mutex_;
  UniqueFd connection_;  // closed after the first failure: replies would no longer match requests
};

TcpStore::Impl::Impl(const WorldSettings& world, std::chrono::milliseconds timeout)
    : world_(world), timeout_(timeout) {
  check(world_);
  if (world_.rank == 0) {
    UniqueFd listener = listen_at(world_.master_address, world_.master_port);
    world_.master_port = detail::local_port(listener.get());
    server_ = make_process_owned<StoreServer>(std::move(listener), world_.world_size);
  }
  const Deadline deadline(timeout);
  connection_ = connect_to(world_.master_address, world_.master_port, deadline);
  local_address_ = detail::local_address(connection_.get());
  say_hello(deadline);
}

TcpStore::Impl::~Impl() {
  if (!owner_.is_current()) return;
  try {
    request({.op = StoreOp::goodbye});
  } catch (const Error&) {
    connection_.reset();  // rank 0 or the connection is gone: there is no one to tell
  }
  if (server_) server_->wait_for_goodbyes(Deadline(kGoodbyePatience));
}

void TcpStore::Impl::say_hello(const Deadline& deadline) {
  send_all(connection_.get(),
           encode(StoreHello{.world_size = static_cast<std::uint32_t>(world_.world_size),
                             .rank = static_cast<std::uint32_t>(world_.rank)}),
           deadline);
  const StoreReply reply = receive_reply(deadline);
  if (reply.status != StoreStatus::ok)
    throw CommunicationError("the store refused this rank: " + reply.payload);
}

StoreReply TcpStore::Impl::receive_reply(const Deadline& deadline) {
  std::array<char, kReplyHeaderBytes> bytes;
  receive_all(connection_.get(), bytes, deadline);
  const StoreReplyHeader header = decode_reply_header({bytes.data(), bytes.size()});
  StoreReply reply{.status = header.status, .payload = std::string(header.size, '\0')};
  receive_all(connection_.get(), reply.payload, deadline);
  return reply;
}

StoreReply TcpStore::Impl::request(const StoreRequest& request) {
  check_process(owner_, "this connection to the store");
  const std::string bytes = encode(request);
  const std::lock_guard lock(mutex_);
  if (!connection_) {
    throw CommunicationError(
        fmt::format("rank {}: the connection to the store of rank 0 was lost before", world_.rank));
  }
  try {
    const Deadline deadline(std::chrono::milliseconds(request.wait_ms) + kReplyGrace);
    send_all(connection_.get(), bytes, deadline);
    StoreReply reply = receive_reply(deadline);
    if (reply.status == StoreStatus::refused) throw CommunicationError(reply.payload);
    return reply;
  } catch (const Error& error) {
    connection_.reset();
    throw CommunicationError(fmt::format("rank {}: the store of rank 0 at {}:{}: {}", world_.rank,
                                         world_.master_address, world_.master_port, error.what()));
  }
}

TcpStore::TcpStore(const WorldSettings& world, std::chrono::milliseconds timeout)
    : impl_(std::make_unique<Impl>(world, timeout)) {}
TcpStore::~TcpStore() = default;

const WorldSettings& TcpStore::world() const noexcept {
  return impl_->world();
}
std::chrono::milliseconds TcpStore::timeout() const noexcept {
  return impl_->timeout();
}
const std::string& TcpStore::local_address() const noexcept {
  return impl_->local_address();
}

void TcpStore::set(const std::string& key, std::string_view value) {
  impl_->request({.op = StoreOp::set, .key = key, .value = std::string(value)});
}

std::optional<std::string> TcpStore::try_get(const std::string& key, std::chrono::milliseconds timeout) {
  const auto wait = std::clamp<std::int64_t>(timeout.count(), 0, 0xffffffffLL);
  StoreReply reply =
      impl_->request({.op = StoreOp::get, .wait_ms = static_cast<std::uint32_t>(wait), .key = key});
  if (reply.status == StoreStatus::missing) return std::nullopt;
  return std::move(reply.payload);
}

std::string TcpStore::get(const std::string& key) {
  return get(key, timeout());
}

std::string TcpStore::get(const std::string& key, std::chrono::milliseconds timeout) {
  if (auto value = try_get(key, timeout)) return std::move(*value);
  throw CommunicationError(fmt::format("rank {}: nobody set \"{}\" in the store within {} ms", world().rank,
                                       key, timeout.count()));
}

std::int64_t TcpStore::add(const std::string& key, std::int64_t delta) {
  const std::string sum =
      impl_->request({.op = StoreOp::add, .key = key, .value = std::to_string(delta)}).payload;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(sum.data(), sum.data() + sum.size(), value);
  if (error != std::errc() || stop != sum.data() + sum.size()) {
    throw CommunicationError(
        fmt::format("rank {}: the store returned no number as the sum of \"{}\"", world().rank, key));
  }
  return value;
}

void TcpStore::wait(std::span<const std::string> keys, std::chrono::milliseconds timeout) {
  const Deadline deadline(timeout);
  for (const std::string& key : keys) get(key, deadline.left());
}

}  // namespace leat
