#include "leat/parallel/store/store_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "leat/loader/os/service_thread.h"
#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr std::size_t kMaxStrangers = 64;  // connections allowed beyond one for each rank
constexpr int kAcceptPause = 100;          // ms

}  // namespace

StoreServer::StoreServer(UniqueFd listener, int world_size)
    : listener_(std::move(listener)),
      world_size_(world_size),
      thread_(start_service_thread("leat-store", [this] { serve(); })) {}

StoreServer::~StoreServer() {
  static_cast<void>(stop_.notify());  // false: other code has closed it, which poll() also reports
  thread_.join();
}

bool StoreServer::wait_for_goodbyes(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline.time(), [this] { return present_ == 0; });
}

void StoreServer::serve() {
  while (true) {
    std::vector<pollfd> entries{{.fd = stop_.fd(), .events = POLLIN, .revents = 0},
                                {.fd = accepting_ ? listener_.get() : -1, .events = POLLIN, .revents = 0}};
    for (const StoreSession& session : sessions_) {
      entries.push_back({.fd = session.fd(), .events = session.wanted_events(), .revents = 0});
    }
    const int count = ::poll(entries.data(), entries.size(), poll_timeout());
    accepting_ = true;
    if (count > 0) {
      if (entries[0].revents != 0) return;
      auto entry = entries.begin() + 2;
      for (StoreSession& session : sessions_) handle(session, (entry++)->revents);
      if (entries[1].revents != 0) accept_one();
    }
    expire();
    drop_finished();
    count_present();
  }
}

int StoreServer::poll_timeout() const {
  int timeout = accepting_ ? -1 : kAcceptPause;
  const auto consider = [&](const Deadline& deadline) {
    const int left = deadline.poll_timeout();
    timeout = timeout < 0 ? left : std::min(timeout, left);
  };
  for (const StoreSession& session : sessions_) {
    if (!session.rank) consider(session.hello_deadline);
    if (session.waiting) consider(session.waiting->deadline);
  }
  return timeout;
}

void StoreServer::accept_one() {
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) {
    accepting_ = errno != EMFILE && errno != ENFILE;
  } else if (sessions_.size() < static_cast<std::size_t>(world_size_) + kMaxStrangers) {
    sessions_.emplace_back(std::move(fd));
  }
}

void StoreServer::handle(StoreSession& session, short events) {
  if ((events & POLLOUT) != 0) session.flush();
  // On a hang-up, read too: recv() then reports that the client is gone.
  if ((events & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)) != 0) session.receive();
  advance(session);
}

void StoreServer::advance(StoreSession& session) {
  try {
    if (!session.rank) {
      if (const auto hello = take_hello(session.input())) greet(session, *hello);
    }
    while (session.rank && session.ready_for_next()) {
      auto request = take_request(session.input());
      if (!request) return;
      carry_out(session, std::move(*request));
    }
  } catch (const CommunicationError& error) {
    session.refuse(error.what());
  }
}

void StoreServer::greet(StoreSession& session, const StoreHello& hello) {
  if (hello.world_size != static_cast<std::uint32_t>(world_size_)) {
    throw CommunicationError(
        fmt::format("rank 0 runs with WORLD_SIZE {}, but rank {} came from {} with WORLD_SIZE {}",
                    world_size_, hello.rank, session.peer(), hello.world_size));
  }
  if (hello.rank >= static_cast<std::uint32_t>(world_size_)) {
    throw CommunicationError(
        fmt::format("rank {} from {} is outside 0 to {}", hello.rank, session.peer(), world_size_ - 1));
  }
  const int rank = static_cast<int>(hello.rank);
  const auto twin = std::find_if(sessions_.begin(), sessions_.end(),
                                 [rank](const StoreSession& other) { return other.rank == rank; });
  if (twin != sessions_.end()) {
    throw CommunicationError(fmt::format("rank {} came twice: from {} and now from {}; RANK must differ",
                                         rank, twin->peer(), session.peer()));
  }
  session.rank = rank;
  session.reply({});
}

void StoreServer::carry_out(StoreSession& session, StoreRequest request) {
  switch (request.op) {
    case StoreOp::set:
      table_.set(request.key, std::move(request.value));
      session.reply({});
      answer_waiting(request.key);
      return;
    case StoreOp::add:
      session.reply({.payload = table_.add(request.key, request.value)});
      answer_waiting(request.key);
      return;
    case StoreOp::get:
      if (const std::string* value = table_.find(request.key)) {
        session.reply({.payload = *value});
      } else {
        const Deadline deadline{std::chrono::milliseconds(request.wait_ms)};
        session.waiting = StoreSession::Wait{.key = std::move(request.key), .deadline = deadline};
      }
      return;
    case StoreOp::goodbye:
      session.rank.reset();
      session.reply({});
      return;
  }
}

void StoreServer::answer_waiting(const std::string& key) {
  for (StoreSession& session : sessions_) {
    if (session.waiting && session.waiting->key == key) session.reply({.payload = *table_.find(key)});
  }
}

void StoreServer::expire() {
  for (StoreSession& session : sessions_) {
    if (session.waiting && session.waiting->deadline.passed())
      session.reply({.status = StoreStatus::missing});
  }
}

void StoreServer::drop_finished() {
  sessions_.remove_if([](const StoreSession& session) {
    return session.finished() || (!session.rank && session.hello_deadline.passed());
  });
}

void StoreServer::count_present() {
  const auto present = std::count_if(sessions_.begin(), sessions_.end(),
                                     [](const StoreSession& session) { return session.rank.has_value(); });
  const std::lock_guard lock(mutex_);
  if (present_ == static_cast<int>(present)) return;
  present_ = static_cast<int>(present);
  changed_.notify_all();
}

}  // namespace leat::detail
