// Connections of tests to a store's server, without a TcpStore.
#pragma once

#include <poll.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/tcp_socket.h"

namespace leat::test {

// Connects. Throws CommunicationError if nothing listens there.
inline leat::detail::UniqueFd connect_to(const std::string& address, std::uint16_t port) {
  using namespace leat::detail;
  UniqueFd fd = start_connecting(resolve(address, port).front());
  int error = fd ? 0 : errno;
  if (fd) {
    pollfd entry{.fd = fd.get(), .events = POLLOUT, .revents = 0};
    error = ::poll(&entry, 1, 10'000) == 1 ? connect_error(fd.get()) : ETIMEDOUT;
  }
  if (error == 0) return fd;
  throw CommunicationError("nobody answers at " + address + ": " + std::generic_category().message(error));
}

}  // namespace leat::test
