// TCP sockets with deadlines. All sockets are non-blocking and close-on-exec. A lost peer is an error, never a
// SIGPIPE. Interrupted calls are resumed. Failures throw CommunicationError naming the address.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

// Listens only at `address`, a host name or numeric address of this machine, and at the first free one of `ports`
// ports from `port` on. Port 0 selects any free port.
UniqueFd listen_at(const std::string& address, std::uint16_t port, int ports = 1);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// Returns all addresses of a host name or numeric address, in the order in which they should be tried.
std::vector<SocketAddress> resolve(const std::string& address, std::uint16_t port);

// Returns whether only processes of this machine can connect to the address.
bool is_loopback(const SocketAddress& address);

// Begins to connect. When the socket is writable, or at once, connect_error() tells how it went. Returns an empty
// descriptor if no socket can be made, or if the attempt fails at once; errno then tells why.
UniqueFd start_connecting(const SocketAddress& address);
int connect_error(int fd);  // 0 if the socket is connected
// Returns whether the peer of a connected socket is the socket itself: the kernel may choose the port that a program
// connects to, at which nobody listens, as the program's own.
bool is_its_own_peer(int fd);

void send_all(int fd, std::string_view bytes, const Deadline& deadline);
void receive_all(int fd, std::span<char> bytes, const Deadline& deadline);

std::uint16_t local_port(int fd);
std::string local_address(int fd);  // numeric, without the port
std::string peer_name(int fd);      // "127.0.0.1:40112"

}  // namespace leat::detail
