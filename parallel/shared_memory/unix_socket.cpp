#include "leat/parallel/shared_memory/unix_socket.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <thread>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr int kBacklog = 4096;  // the kernel takes its own limit if that is lower
constexpr std::size_t kMaxMessage = 512;
constexpr auto kRetry = std::chrono::milliseconds(1);

using FileSpace = std::array<char, CMSG_SPACE(kMaxPassedFiles * sizeof(int))>;

UniqueFd make_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw_errno("socket(AF_UNIX)");
  return fd;
}

// In the abstract namespace, a name begins with a zero and need not end with one.
std::pair<sockaddr_un, socklen_t> address_of(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)};
}

void take_files(msghdr& header, std::vector<UniqueFd>& files) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      files.emplace_back(fd);
    }
  }
}

}  // namespace

UniqueFd listen_at_abstract(const std::string& name) {
  UniqueFd fd = make_socket();
  const auto [address, length] = address_of(name);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    throw_errno("bind of a local socket");
  if (::listen(fd.get(), kBacklog) != 0) throw_errno("listen at a local socket");
  return fd;
}

std::optional<UniqueFd> connect_to_abstract(const std::string& name, const Deadline& deadline) {
  UniqueFd fd = make_socket();
  const auto [address, length] = address_of(name);
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    if (errno == ECONNREFUSED) return std::nullopt;
    if (errno != EAGAIN && errno != EINTR) throw_errno("connect to a local socket");
    if (deadline.passed()) throw CommunicationError("a local socket accepted no connection in time");
    if (errno == EAGAIN) std::this_thread::sleep_for(kRetry);  // the queue of the listener is full
  }
  return fd;
}

PeerProcess process_at(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    throw_errno("SO_PEERCRED of a local socket");
  return {.pid = credentials.pid, .user = credentials.uid};
}

bool send_message(int fd, std::string_view bytes, std::span<const int> files) {
  iovec data{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  alignas(cmsghdr) FileSpace space{};
  if (!files.empty()) {
    header.msg_control = space.data();
    header.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* const part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(part), files.data(), files.size_bytes());
  }
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Message> receive_message(int fd) {
  std::array<char, kMaxMessage> bytes;
  iovec data{.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  alignas(cmsghdr) FileSpace space{};
  header.msg_control = space.data();
  header.msg_controllen = space.size();
  ssize_t size = -1;
  do {
    size = ::recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  Message message;
  if (size <= 0) return message;
  take_files(header, message.files);
  if ((header.msg_flags & MSG_CTRUNC) != 0)
    throw CommunicationError("this process cannot open more descriptors (RLIMIT_NOFILE)");
  message.bytes.assign(bytes.data(), static_cast<std::size_t>(size));
  return message;
}

std::string random_digits(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw_errno("getrandom");
  std::string digits;
  for (const unsigned char byte : random) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace leat::detail
