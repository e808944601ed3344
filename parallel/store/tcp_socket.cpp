#include "leat/parallel/store/tcp_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Time between attempts to connect while nothing listens yet.
constexpr auto kRetryInterval = std::chrono::milliseconds(20);

std::string text_of(int error) {
  return std::generic_category().message(error);
}

AddressList resolve(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    throw CommunicationError(fmt::format("cannot resolve \"{}\": {}", address, gai_strerror(status)));
  }
  return {found, &freeaddrinfo};
}

UniqueFd make_socket(const addrinfo& address) {
  return UniqueFd(
      ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
}

// Waits for `events`. Returns false if the deadline passes first.
bool wait_for(int fd, short events, const Deadline& deadline) {
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  while (true) {
    const int count = ::poll(&entry, 1, deadline.poll_timeout());
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) throw_errno("poll of a socket");
    if (count == 0 && deadline.passed()) return false;
  }
}

// Makes one attempt to connect. Returns 0, or the error.
int try_connect(const UniqueFd& socket, const addrinfo& address, const Deadline& deadline) {
  if (!socket) return errno;
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_for(socket.get(), POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

void send_small_frames_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // without it the store is slower, but works
}

struct Endpoint {
  std::string host;
  std::string port;
};

template <class Query>  // Query is getsockname or getpeername
Endpoint endpoint_of(int fd, Query query) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (query(fd, address, &size) != 0) return {"(gone)", "0"};
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int status = getnameinfo(address, size, host.data(), host.size(), port.data(), port.size(),
                                 NI_NUMERICHOST | NI_NUMERICSERV);
  if (status != 0) return {"(unknown)", "0"};
  return {host.data(), port.data()};
}

}  // namespace

UniqueFd listen_at(const std::string& address, std::uint16_t port) {
  int error = 0;
  const AddressList list = resolve(address, port);
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    UniqueFd socket = make_socket(*entry);
    const int on = 1;
    if (socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(socket.get(), entry->ai_addr, entry->ai_addrlen) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
    error = errno;
  }
  throw CommunicationError(fmt::format(
      "rank 0 cannot listen at {}:{}: {}; MASTER_ADDR must be an address of rank 0's machine, and "
      "MASTER_PORT a free port of it",
      address, port, text_of(error)));
}

UniqueFd connect_to(const std::string& address, std::uint16_t port, const Deadline& deadline) {
  const AddressList list = resolve(address, port);
  while (true) {
    int error = 0;
    for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
      UniqueFd socket = make_socket(*entry);
      error = try_connect(socket, *entry, deadline);
      if (error == 0) {
        send_small_frames_at_once(socket.get());
        return socket;
      }
    }
    if (deadline.passed()) {
      throw CommunicationError(fmt::format(
          "nobody answers at {}:{} ({}); is rank 0 running, and are MASTER_ADDR and MASTER_PORT its?",
          address, port, text_of(error)));
    }
    ::poll(nullptr, 0, static_cast<int>(kRetryInterval.count()));  // nothing notifies us of a new listener
  }
}

void send_all(int fd, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLOUT, deadline))
        throw CommunicationError("sending to " + peer_name(fd) + " timed out");
    } else if (errno != EINTR) {
      throw CommunicationError(fmt::format("sending to {}: {}", peer_name(fd), text_of(errno)));
    }
  }
}

void receive_all(int fd, std::span<char> bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0) {
      throw CommunicationError(peer_name(fd) + " closed the connection");
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLIN, deadline))
        throw CommunicationError("waiting for " + peer_name(fd) + " timed out");
    } else if (errno != EINTR) {
      throw CommunicationError(fmt::format("receiving from {}: {}", peer_name(fd), text_of(errno)));
    }
  }
}

std::uint16_t local_port(int fd) {
  return static_cast<std::uint16_t>(std::stoul(endpoint_of(fd, ::getsockname).port));
}

std::string local_address(int fd) {
  return endpoint_of(fd, ::getsockname).host;
}

std::string peer_name(int fd) {
  const Endpoint peer = endpoint_of(fd, ::getpeername);
  return peer.host + ":" + peer.port;
}

}  // namespace leat::detail
