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
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

std::string text_of(int error) {
  return std::generic_category().message(error);
}

sockaddr* generic(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr*>(&storage);
}

const sockaddr* generic(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}

UniqueFd make_socket(const SocketAddress& address) {
  return UniqueFd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
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
  if (query(fd, generic(storage), &size) != 0) return {"(gone)", "0"};
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int status = getnameinfo(generic(storage), size, host.data(), host.size(), port.data(), port.size(),
                                 NI_NUMERICHOST | NI_NUMERICSERV);
  if (status != 0) return {"(unknown)", "0"};
  return {host.data(), port.data()};
}

// Listens at the first of the addresses that can be bound. Returns an empty descriptor and sets errno if none can.
UniqueFd try_listen(const std::vector<SocketAddress>& addresses) {
  for (const SocketAddress& address : addresses) {
    UniqueFd socket = make_socket(address);
    const int on = 1;
    if (socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(socket.get(), generic(address), address.size) == 0 && ::listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
  }
  return {};
}

}  // namespace

std::vector<SocketAddress> resolve(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    throw CommunicationError(fmt::format("cannot resolve \"{}\": {}", address, gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    SocketAddress& each = addresses.emplace_back();
    std::memcpy(&each.storage, entry->ai_addr, entry->ai_addrlen);
    each.size = entry->ai_addrlen;
  }
  return addresses;
}

bool is_loopback(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof v4);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address.storage, sizeof v6);
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127;
  return address.storage.ss_family == AF_INET6 && (mapped || IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr));
}

UniqueFd listen_at(const std::string& address, std::uint16_t port, int ports) {
  int error = EADDRINUSE;
  for (int i = 0; i < ports && error == EADDRINUSE; ++i) {
    if (UniqueFd socket = try_listen(resolve(address, static_cast<std::uint16_t>(port + i)))) return socket;
    error = errno;
  }
  throw CommunicationError(fmt::format(
      "rank 0 cannot listen at {}:{}: {}; MASTER_ADDR must be an address of rank 0's machine, and "
      "MASTER_PORT a free port of it",
      address, ports == 1 ? std::to_string(port) : fmt::format("{} to {}", port, port + ports - 1),
      text_of(error)));
}

UniqueFd start_connecting(const SocketAddress& address) {
  UniqueFd socket = make_socket(address);
  if (!socket) return socket;
  send_small_frames_at_once(socket.get());
  if (::connect(socket.get(), generic(address), address.size) == 0) return socket;
  if (errno == EINPROGRESS || errno == EINTR) return socket;
  const int error = errno;
  socket.reset();
  errno = error;
  return socket;
}

int connect_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
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

bool is_its_own_peer(int fd) {
  const Endpoint own = endpoint_of(fd, ::getsockname), peer = endpoint_of(fd, ::getpeername);
  return own.host == peer.host && own.port == peer.port;
}

std::string peer_name(int fd) {
  const Endpoint peer = endpoint_of(fd, ::getpeername);
  return peer.host + ":" + peer.port;
}

}  // namespace leat::detail
