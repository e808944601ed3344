#include "leat/parallel/store/store_search.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/store_hello.h"

namespace leat::detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause(2);  // while nothing listens there; twice as long each time
constexpr milliseconds kLongestPause(50);
constexpr milliseconds kStrangerPause(500);  // after something else, or a store of another job, has answered
constexpr milliseconds kWelcomePatience(10'000);

// What listens there does not speak as a store does.
struct StrangerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string text_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

void check_address(const WorldSettings& world) {
  const auto addresses = resolve(world.master_address, world.master_port);
  const bool loopback = std::ranges::all_of(addresses, is_loopback);
  if (loopback && world.local_world_size != 0 && world.local_world_size < world.world_size) {
    throw ArgumentError(
        fmt::format("rank {}: MASTER_ADDR={} is a loopback address on this host, which the ranks of other "
                    "hosts cannot reach; "
                    "{} of {} ranks are on this host",
                    world.rank, world.master_address, world.local_world_size, world.world_size));
  }
  if (loopback || !world.secret.empty()) return;
  throw ArgumentError(fmt::format(
      "rank {}: other machines can reach MASTER_ADDR={}, and the job has no secret to tell them from its "
      "ranks. Set LEAT_JOB_SECRET to the same 16 or more random characters on all ranks, for example before "
      "the launcher: export LEAT_JOB_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ') (mpirun passes it "
      "to "
      "other hosts with -x LEAT_JOB_SECRET or -genvlist LEAT_JOB_SECRET)",
      world.rank, world.master_address));
}

StoreSearch::StoreSearch(const WorldSettings& world, const Deadline& deadline)
    : world_(world), deadline_(deadline) {
  for (int i = 0; i < world.master_ports; ++i) {
    const auto port = static_cast<std::uint16_t>(world.master_port + i);
    for (const SocketAddress& address : resolve(world.master_address, port)) {
      candidates_.push_back({.address = address,
                             .port = port,
                             .fd = {},
                             .received = {},
                             .server_nonce = {},
                             .hello = {},
                             .again = Clock::now(),
                             .pause = kFirstPause,
                             .findings = {}});
    }
  }
}

StoreConnection StoreSearch::run() {
  do {
    start_attempts();
    wait_for_events();
    for (Candidate& candidate : candidates_) {
      if (!candidate.fd) continue;
      try {
        if (auto connection = advance(candidate)) return std::move(*connection);
      } catch (const StrangerError& error) {
        try_again(candidate, error.what(), kStrangerPause);
      }
    }
  } while (!deadline_.passed());
  throw CommunicationError(nothing_found());
}

void StoreSearch::start_attempts() {
  const auto now = Clock::now();
  for (Candidate& candidate : candidates_) {
    if (candidate.fd || candidate.again > now) continue;
    candidate.step = Step::connect;
    candidate.received.clear();
    candidate.fd = start_connecting(candidate.address);
    if (!candidate.fd) try_again_soon(candidate, text_of(errno));
  }
}

void StoreSearch::wait_for_events() {
  std::vector<pollfd> entries;
  auto wake = Clock::now() + deadline_.left();
  for (const Candidate& candidate : candidates_) {
    const short events = candidate.step == Step::connect ? POLLOUT : POLLIN;
    if (candidate.fd) entries.push_back({.fd = candidate.fd.get(), .events = events, .revents = 0});
    if (!candidate.fd || candidate.step == Step::welcome) wake = std::min(wake, candidate.again);
  }
  const auto left = std::chrono::ceil<milliseconds>(wake - Clock::now()).count();
  ::poll(entries.data(), entries.size(), static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
}

std::optional<StoreConnection> StoreSearch::advance(Candidate& candidate) {
  if (candidate.step == Step::connect && !is_connected(candidate)) return std::nullopt;
  if (candidate.step == Step::greeting) {
    if (!greeted(candidate)) return std::nullopt;
    say_hello(candidate);
  }
  if (!welcomed(candidate)) return std::nullopt;
  return enter(candidate);
}

bool StoreSearch::is_connected(Candidate& candidate) {
  pollfd entry{.fd = candidate.fd.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&entry, 1, 0) <= 0) return false;
  if (const int error = connect_error(entry.fd); error != 0) {
    try_again_soon(candidate, text_of(error));
    return false;
  }
  if (is_its_own_peer(entry.fd)) {
    try_again_soon(candidate, text_of(ECONNREFUSED));
    return false;
  }
  candidate.step = Step::greeting;
  candidate.findings = "a program listens there, but does not answer as a leat store";
  return true;
}

bool StoreSearch::receive(Candidate& candidate, std::size_t bytes) {
  while (candidate.received.size() < bytes) {
    std::string more(bytes - candidate.received.size(), '\0');
    const ssize_t got = ::recv(candidate.fd.get(), more.data(), more.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
      try_again_soon(candidate, candidate.step == Step::greeting
                                    ? "the connection was closed before a greeting"
                                    : "the connection was closed before the hello was answered");
      return false;
    }
    candidate.received.append(more, 0, static_cast<std::size_t>(got));
  }
  return true;
}

bool StoreSearch::greeted(Candidate& candidate) {
  const bool whole = receive(candidate, kGreetingBytes);
  if (!begins_greeting(candidate.received))
    throw StrangerError("another program listens there, no leat store");
  return whole;
}

void StoreSearch::say_hello(Candidate& candidate) {
  candidate.server_nonce = nonce_of_greeting(candidate.received);
  candidate.hello = encode(StoreHello{.nonce = make_nonce(),
                                      .port = candidate.port,
                                      .world_size = static_cast<std::uint32_t>(world_.world_size),
                                      .rank = static_cast<std::uint32_t>(world_.rank),
                                      .restart = static_cast<std::uint32_t>(world_.restart),
                                      .run_id = world_.run_id},
                           world_.secret, candidate.server_nonce);
  // So few bytes fit into the send buffer of a new connection, or it has been closed meanwhile.
  const ssize_t sent =
      ::send(candidate.fd.get(), candidate.hello.data(), candidate.hello.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent != std::ssize(candidate.hello)) throw StrangerError("the connection does not take a hello");
  candidate.step = Step::welcome;
  candidate.received.clear();
  candidate.findings = "a program greets there as a leat store, but does not answer the hello";
  candidate.again = Clock::now() + kWelcomePatience;
}

bool StoreSearch::welcomed(Candidate& candidate) {
  if (candidate.again <= Clock::now()) throw StrangerError(candidate.findings);
  if (!receive(candidate, kWelcomeHeaderBytes)) return false;
  try {
    return receive(candidate, kWelcomeHeaderBytes + bytes_after_header(candidate.received));
  } catch (const CommunicationError& error) {
    throw StrangerError(error.what());
  }
}

std::optional<StoreConnection> StoreSearch::enter(Candidate& candidate) {
  const auto welcome =
      decode_welcome(candidate.received, world_.secret, candidate.server_nonce, candidate.hello);
  if (!welcome) {
    leave_other_job(candidate,
                    "a store answers that does not have this job's secret: it belongs to another job, or "
                    "LEAT_JOB_SECRET differs between the ranks");
    return std::nullopt;
  }
  switch (welcome->status) {
    case WelcomeStatus::ok:
      return StoreConnection{.fd = std::move(candidate.fd), .port = candidate.port};
    case WelcomeStatus::refused:
      throw CommunicationError("the store refused this rank: " + welcome->payload);
    case WelcomeStatus::earlier_attempt:
      try_again_soon(candidate, "the store of an earlier attempt of this job answers: " + welcome->payload);
      break;
    case WelcomeStatus::other_job:
      leave_other_job(candidate,
                      fmt::format("a store of another job answers: {}; this is run \"{}\", restart {}",
                                  welcome->payload, world_.run_id, world_.restart));
      break;
  }
  return std::nullopt;
}

void StoreSearch::leave_other_job(Candidate& candidate, const std::string& findings) {
  if (world_.master_ports == 1) {
    throw CommunicationError(
        fmt::format("rank {}: {}:{}: {}", world_.rank, world_.master_address, candidate.port, findings));
  }
  try_again(candidate, findings, kStrangerPause);
}

void StoreSearch::try_again_soon(Candidate& candidate, std::string findings) {
  try_again(candidate, std::move(findings), candidate.pause);
  candidate.pause = std::min(2 * candidate.pause, kLongestPause);
}

void StoreSearch::try_again(Candidate& candidate, std::string findings, milliseconds pause) {
  candidate.fd.reset();
  candidate.findings = std::move(findings);
  candidate.again = Clock::now() + pause;
}

std::string StoreSearch::nothing_found() const {
  std::string findings;
  for (const Candidate& candidate : candidates_) {
    if (candidates_.size() == 1) {
      findings = candidate.findings;
    } else if (candidate.findings != text_of(ECONNREFUSED)) {
      findings +=
          fmt::format("{}port {}: {}", findings.empty() ? "" : "; ", candidate.port, candidate.findings);
    }
  }
  if (findings.empty()) findings = text_of(ECONNREFUSED);
  const std::string ports =
      world_.master_ports == 1
          ? std::to_string(world_.master_port)
          : fmt::format("{} to {}", world_.master_port, world_.master_port + world_.master_ports - 1);
  return fmt::format(
      "rank {}: nobody answers at {}:{} ({}); is rank 0 running, and are MASTER_ADDR and MASTER_PORT its?",
      world_.rank, world_.master_address, ports, findings);
}

}  // namespace leat::detail
