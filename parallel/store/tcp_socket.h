// TCP sockets with deadlines. All sockets are non-blocking and closed on exec; a lost peer is an error, never
// a SIGPIPE; interrupted calls are resumed. What fails throws CommunicationError naming the address.
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

// Listens on `address` (a host name or number of this machine) and no other. Port 0: one that is free.
UniqueFd listen_at(const std::string& address, std::uint16_t port);

// Connects, trying again while nobody listens there yet.
UniqueFd connect_to(const std::string& address, std::uint16_t port, const Deadline& deadline);

void send_all(int fd, std::string_view bytes, const Deadline& deadline);
void receive_all(int fd, std::span<char> bytes, const Deadline& deadline);

std::uint16_t local_port(int fd);
std::string local_address(int fd);  // numeric, without the port
std::string peer_name(int fd);      // "127.0.0.1:40112"

}  // namespace leat::detail
