#include "leat/parallel/tcp_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "leat/parallel/call_checks.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/store_server.h"
#include "leat/parallel/tcp_socket.h"

namespace leat {
namespace {

// What a reply may take beyond the wait that was asked for: the network and a busy machine.
constexpr auto kReplyGrace = std::chrono::seconds(10);
constexpr auto kGoodbyePatience = std::chrono::seconds(10);

}  // namespace

TcpStore::TcpStore(const WorldSettings& world, std::chrono::milliseconds timeout)
    : world_(world), timeout_(timeout) {
  check(world_);
  if (world_.rank == 0) {
    UniqueFd listener = listen_at(world_.master_address, world_.master_port);
    world_.master_port = leat::local_port(listener.get());
    server_ = make_process_owned<StoreServer>(std::move(listener), world_.world_size);
  }
  const Deadline deadline(timeout);
  connection_ = connect_to(world_.master_address, world_.master_port, deadline);
  local_address_ = leat::local_address(connection_.get());
  say_hello(deadline);
}

TcpStore::~TcpStore() {
  if (!owner_.is_current()) return;
  try {
    request({.op = StoreOp::goodbye});
  } catch (const Error&) {
    connection_.reset();  // rank 0 is gone, or the connection was lost before: there is nobody to tell
  }
  if (server_) server_->wait_for_goodbyes(Deadline(kGoodbyePatience));
}

void TcpStore::say_hello(const Deadline& deadline) {
  send_all(connection_.get(),
           encode(StoreHello{.world_size = static_cast<std::uint32_t>(world_.world_size),
                             .rank = static_cast<std::uint32_t>(world_.rank)}),
           deadline);
  const StoreReply reply = receive_reply(deadline);
  if (reply.status != StoreStatus::ok)
    throw CommunicationError("the store refused this rank: " + reply.payload);
}

StoreReply TcpStore::receive_reply(const Deadline& deadline) {
  std::array<char, kReplyHeaderBytes> bytes;
  receive_all(connection_.get(), bytes, deadline);
  const StoreReplyHeader header = decode_reply_header({bytes.data(), bytes.size()});
  StoreReply reply{.status = header.status, .payload = std::string(header.size, '\0')};
  receive_all(connection_.get(), reply.payload, deadline);
  return reply;
}

StoreReply TcpStore::request(const StoreRequest& request) {
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

void TcpStore::set(const std::string& key, std::string_view value) {
  request({.op = StoreOp::set, .key = key, .value = std::string(value)});
}

std::optional<std::string> TcpStore::try_get(const std::string& key, std::chrono::milliseconds timeout) {
  const auto wait = std::clamp<std::int64_t>(timeout.count(), 0, 0xffffffffLL);
  StoreReply reply = request({.op = StoreOp::get, .wait_ms = static_cast<std::uint32_t>(wait), .key = key});
  if (reply.status == StoreStatus::missing) return std::nullopt;
  return std::move(reply.payload);
}

std::string TcpStore::get(const std::string& key) {
  return get(key, timeout_);
}

std::string TcpStore::get(const std::string& key, std::chrono::milliseconds timeout) {
  if (auto value = try_get(key, timeout)) return std::move(*value);
  throw CommunicationError(
      fmt::format("rank {}: nobody set \"{}\" in the store within {} ms", world_.rank, key, timeout.count()));
}

std::int64_t TcpStore::add(const std::string& key, std::int64_t delta) {
  return std::stoll(request({.op = StoreOp::add, .key = key, .value = std::to_string(delta)}).payload);
}

void TcpStore::wait(std::span<const std::string> keys, std::chrono::milliseconds timeout) {
  const Deadline deadline(timeout);
  for (const std::string& key : keys) get(key, deadline.left());
}

}  // namespace leat
