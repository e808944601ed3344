#include "leat/parallel/store/store_session.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "leat/parallel/store/store_hello.h"
#include "leat/parallel/store/tcp_socket.h"

namespace leat::detail {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr auto kHelloPatience = std::chrono::seconds(10);  // a client that says nothing by then is dropped

}  // namespace

StoreSession::StoreSession(UniqueFd fd)
    : hello_deadline(kHelloPatience), fd_(std::move(fd)), peer_(peer_name(fd_.get())), nonce_(make_nonce()) {
  send(encode_greeting(nonce_));
}

short StoreSession::wanted_events() const noexcept {
  if (!out_.empty()) return POLLOUT | POLLRDHUP;
  return waiting ? POLLRDHUP : POLLIN;
}

void StoreSession::receive() {
  std::array<char, kReadBytes> bytes;
  const std::size_t limit = rank ? bytes.size() : kMaxHelloBytes - std::min(in_.size(), kMaxHelloBytes);
  if (limit == 0) return;  // after the goodbye
  const ssize_t got = ::recv(fd_.get(), bytes.data(), limit, MSG_DONTWAIT);
  if (got > 0) {
    in_.append(bytes.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    closed_ = true;
  }
}

void StoreSession::flush() {
  while (!out_.empty()) {
    const ssize_t sent = ::send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      out_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      if (errno != EAGAIN) closed_ = true;
      return;
    }
  }
}

void StoreSession::reply(const StoreReply& reply) {
  waiting.reset();
  send(encode(reply));
}

void StoreSession::send(std::string_view bytes) {
  out_ += bytes;
  flush();
}

bool StoreSession::has_left() {
  char byte = 0;
  const ssize_t got = ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) closed_ = true;
  return closed_;
}

void StoreSession::refuse(std::string_view why) {
  closing_ = true;
  reply({.status = StoreStatus::refused, .payload = std::string(why)});
}

}  // namespace leat::detail
