// What tests do with the protocol of the store by hand.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/store_hello.h"
#include "leat/parallel/store/store_protocol.h"
#include "leat/parallel/store/tcp_socket.h"
#include "tests/parallel/support/sockets.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;
using namespace std::chrono_literals;

// A client that speaks the protocol by hand, or something else.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : port_(port), fd_(connect_to("127.0.0.1", port)) {}
  int fd() const { return fd_.get(); }
  void send(const std::string& bytes) { send_all(fd_.get(), bytes, Deadline(10s)); }

  std::string receive(std::size_t size) {
    std::string bytes(size, '\0');
    receive_all(fd_.get(), bytes, Deadline(10s));
    return bytes;
  }

  // Waits for the greeting and sends a hello. Returns its bytes.
  std::string say_hello(std::uint32_t world_size, std::uint32_t rank, const std::string& secret = {}) {
    nonce_ = nonce_of_greeting(receive(kGreetingBytes));
    const std::string hello =
        encode(StoreHello{.nonce = make_nonce(), .port = port_, .world_size = world_size, .rank = rank},
               secret, nonce_);
    send(hello);
    return hello;
  }

  // The answer to a hello, if its code is that of the secret.
  std::optional<StoreWelcome> welcome(const std::string& hello, const std::string& secret = {}) {
    std::string bytes = receive(kWelcomeHeaderBytes);
    bytes += receive(bytes_after_header(bytes));
    return decode_welcome(bytes, secret, nonce_, hello);
  }

  void enter(std::uint32_t world_size, std::uint32_t rank) {
    const auto answer = welcome(say_hello(world_size, rank));
    REQUIRE(answer.has_value());
    REQUIRE(answer->status == WelcomeStatus::ok);
  }

  // The next reply; nullopt where the server closes the connection instead.
  std::optional<StoreReply> reply() {
    try {
      const StoreReplyHeader decoded = decode_reply_header(receive(kReplyHeaderBytes));
      return StoreReply{.status = decoded.status, .payload = receive(decoded.size)};
    } catch (const CommunicationError&) {
      return std::nullopt;
    }
  }

 private:
  std::uint16_t port_;
  UniqueFd fd_;
  std::string nonce_;
};

// A port that nobody listens at, most likely still so a moment later.
inline std::uint16_t unused_port() {
  return local_port(listen_at("127.0.0.1", 0).get());
}

// The first of `count` such ports in a row.
inline std::uint16_t unused_ports(int count) {
  while (true) {
    const std::uint16_t port = unused_port();
    if (port > 65000) continue;
    try {
      for (int i = 0; i < count; ++i) listen_at("127.0.0.1", static_cast<std::uint16_t>(port + i));
      return port;
    } catch (const CommunicationError&) {
      continue;
    }
  }
}

// Waits for a client.
inline UniqueFd accept_at(const UniqueFd& listener) {
  pollfd entry{.fd = listener.get(), .events = POLLIN, .revents = 0};
  ::poll(&entry, 1, 10'000);
  return UniqueFd(::accept(listener.get(), nullptr, nullptr));
}

// Adds what has come to `bytes`. Returns whether that is a whole hello.
inline bool take_hello_of(int fd, std::string& bytes) {
  std::array<char, 1> byte{};
  receive_all(fd, byte, Deadline(10s));
  bytes += byte[0];
  std::string copy = bytes;
  return take_hello(copy).has_value();
}

// Welcomes one client, as a server without a secret, and answers its first request by `answer`.
inline std::future<void> serve_once(const UniqueFd& listener, std::string answer) {
  return std::async(std::launch::async, [&listener, answer = std::move(answer)] {
    const UniqueFd client = accept_at(listener);
    const std::string nonce = make_nonce();
    send_all(client.get(), encode_greeting(nonce), Deadline(10s));
    std::string hello, rest(1 << 10, '\0');
    while (!take_hello_of(client.get(), hello)) {
    }
    send_all(client.get(), encode(StoreWelcome{}, "", nonce, hello), Deadline(10s));
    ::recv(client.get(), rest.data(), rest.size(), 0);
    send_all(client.get(), answer, Deadline(10s));
    ::recv(client.get(), rest.data(), rest.size(), 0);  // until the client goes, or says goodbye
  });
}

inline WorldSettings secret_world(int rank, int world_size, std::uint16_t port, const std::string& secret) {
  WorldSettings world = loopback_world(rank, world_size, port);
  world.secret = secret;
  return world;
}

inline const std::string kSecret = "0123456789abcdef";

}  // namespace leat::test
