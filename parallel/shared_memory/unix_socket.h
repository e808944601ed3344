// UNIX sockets in the abstract namespace, which have no name in a file system, and carry descriptors between processes.
// All sockets are non-blocking, close-on-exec, and keep the bounds of messages.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

inline constexpr std::size_t kMaxPassedFiles = 4;

// Listens at a name of the abstract namespace. Throws SystemError.
UniqueFd listen_at_abstract(const std::string& name);

// Connects. Returns nullopt if nobody listens there, within this network namespace. Throws SystemError, and
// CommunicationError if the listener accepts nobody until the deadline.
std::optional<UniqueFd> connect_to_abstract(const std::string& name, const Deadline& deadline);

// The process at the other end: the one that connected, or the one that listens.
struct PeerProcess {
  pid_t pid = 0;  // 0 if the process has no number in this process's PID namespace
  uid_t user = 0;
};
PeerProcess process_at(int fd);

// A message: bytes, and descriptors for the receiver.
struct Message {
  std::string bytes;
  std::vector<UniqueFd> files;
};

// Send and receive one message without waiting. send_message() returns whether it was sent. receive_message() returns
// nullopt if there is no message yet, an empty one if the connection has ended; it throws CommunicationError if the
// process has no room for the descriptors that came with it.
bool send_message(int fd, std::string_view bytes, std::span<const int> files);
std::optional<Message> receive_message(int fd);

// Returns `bytes` random bytes as hexadecimal digits. Throws SystemError.
std::string random_digits(std::size_t bytes);

}  // namespace leat::detail
