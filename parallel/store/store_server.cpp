#include "leat/parallel/store/store_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "leat/loader/os/service_thread.h"
#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr std::ptrdiff_t kMaxStrangers = 64;  // connections that have not said hello
constexpr int kAcceptPause = 100;             // ms

}  // namespace

StoreServer::StoreServer(UniqueFd listener, const WorldSettings& world)
    : listener_(std::move(listener)),
      world_(world),
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
    return;
  }
  make_room_for_stranger();
  sessions_.emplace_back(std::move(fd));
}

void StoreServer::make_room_for_stranger() {
  const auto is_stranger = [](const StoreSession& session) { return !session.rank; };
  if (std::ranges::count_if(sessions_, is_stranger) < kMaxStrangers) return;
  sessions_.erase(std::ranges::find_if(sessions_, is_stranger));  // the oldest: new ones are added at the end
}

void StoreServer::handle(StoreSession& session, short events) {
  if ((events & POLLOUT) != 0) session.flush();
  // On a hang-up, read too: recv() then reports that the client is gone.
  if ((events & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)) != 0) session.receive();
  advance(session);
}

void StoreServer::advance(StoreSession& session) {
  try {
    if (!session.rank && session.ready_for_next()) {
      if (const auto received = take_hello(session.input())) welcome(session, *received);
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

void StoreServer::welcome(StoreSession& session, const ReceivedHello& received) {
  const StoreWelcome answer = answer_hello(session, received);
  if (answer.status == WelcomeStatus::ok) {
    session.rank = static_cast<int>(received.hello.rank);
    if (lost_.erase(*session.rank) > 0) publish_lost();
  } else {
    session.close_when_sent();
  }
  session.send(encode(answer, world_.secret, session.nonce(), received.bytes));
}

StoreWelcome StoreServer::answer_hello(const StoreSession& session, const ReceivedHello& received) {
  const StoreHello& hello = received.hello;
  if (!received.is_signed_by(world_.secret, session.nonce())) return {.status = WelcomeStatus::other_job};
  if (hello.run_id != world_.run_id || hello.restart != static_cast<std::uint32_t>(world_.restart)) {
    const bool earlier =
        hello.run_id == world_.run_id && hello.restart > static_cast<std::uint32_t>(world_.restart);
    return {.status = earlier ? WelcomeStatus::earlier_attempt : WelcomeStatus::other_job,
            .payload = fmt::format("run \"{}\", restart {}", world_.run_id, world_.restart)};
  }
  if (hello.port != world_.master_port) {
    return {.status = WelcomeStatus::other_job,
            .payload = fmt::format("this job, but at port {}: port {} passes messages on to it",
                                   world_.master_port, hello.port)};
  }
  const auto refused = [](std::string why) {
    return StoreWelcome{.status = WelcomeStatus::refused, .payload = std::move(why)};
  };
  if (hello.world_size != static_cast<std::uint32_t>(world_.world_size)) {
    return refused(fmt::format("rank 0 runs with WORLD_SIZE {}, but rank {} came from {} with WORLD_SIZE {}",
                               world_.world_size, hello.rank, session.peer(), hello.world_size));
  }
  if (hello.rank >= hello.world_size) {
    return refused(
        fmt::format("rank {} from {} is outside 0 to {}", hello.rank, session.peer(), world_.world_size - 1));
  }
  for (StoreSession& other : sessions_) {
    if (other.rank != static_cast<int>(hello.rank)) continue;
    if (!other.has_left()) {
      return refused(fmt::format("rank {} came twice: from {} and now from {}; RANK must differ", hello.rank,
                                 other.peer(), session.peer()));
    }
    other.rank.reset();
  }
  return {};
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
      session.close_when_sent();
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
  const std::size_t before = lost_.size();
  for (const StoreSession& session : sessions_) {
    if (session.is_lost()) lost_.insert(*session.rank);
  }
  if (lost_.size() > before) publish_lost();
  sessions_.remove_if([](const StoreSession& session) {
    return session.finished() || (!session.rank && session.hello_deadline.passed());
  });
}

void StoreServer::publish_lost() {
  try {
    table_.set(kLostRanksKey, fmt::format("{}", fmt::join(lost_, " ")));
    answer_waiting(kLostRanksKey);
  } catch (const CommunicationError&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The store is full. The other ranks then notice the loss by their own deadlines.
  }
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
