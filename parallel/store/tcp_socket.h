// TCP sockets with deadlines. All sockets are non-blocking and close-on-exec. A lost peer is an error, never a
// SIGPIPE. Interrupted calls are resumed. Failures throw CommunicationError naming the address.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

// Listens only at `address`, a host name or numeric address of this machine. Port 0 selects a free port.
UniqueFd listen_at(const std::string& address, std::uint16_t port);

// Connects, and tries again while nothing listens there yet.
UniqueFd connect_to(const std::string& address, std::uint16_t port, const Deadline& deadline);

void send_all(int fd, std::string_view bytes, const Deadline& deadline);
void receive_all(int fd, std::span<char> bytes, const Deadline& deadline);

std::uint16_t local_port(int fd);
std::string local_address(int fd);  // numeric, without the port
std::string peer_name(int fd);      // "127.0.0.1:40112"

}  // namespace leat::detail
