#include "leat/parallel/shared_memory/host_introduction.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "leat/loader/os/child_process.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/host/lost_store.h"
#include "leat/parallel/shared_memory/unix_socket.h"

namespace leat::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kGlance = 200ms;  // a wait for a key looks this often whether a rank has given up
constexpr std::string_view kVersion = "leat-shm-1";

std::string boot_id() {
  constexpr const char* kPath = "/proc/sys/kernel/random/boot_id";
  std::ifstream file(kPath);
  std::string id;
  if (!std::getline(file, id) || id.empty()) throw_errno(fmt::format("reading {}", kPath));
  return id;
}

std::string network_namespace() {
  constexpr const char* kPath = "/proc/self/ns/net";
  struct stat status {};
  if (::stat(kPath, &status) != 0) throw_errno(fmt::format("stat of {}", kPath));
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

std::chrono::milliseconds part_of(const Deadline& deadline) {
  return std::min<std::chrono::milliseconds>(deadline.left(), kGlance);
}

}  // namespace

std::string encode(const HostRecord& record) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kVersion, record.boot, record.network, record.socket,
                     record.password, record.options);
}

std::optional<HostRecord> decode_host_record(const std::string& text) {
  std::array<std::string, 6> lines;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t end = i + 1 < lines.size() ? text.find('\n', at) : text.size();
    if (end == std::string::npos) return std::nullopt;
    lines[i] = text.substr(at, end - at);
    at = end + 1;
  }
  if (lines[0] != kVersion) return std::nullopt;
  return HostRecord{
      .boot = lines[1], .network = lines[2], .socket = lines[3], .password = lines[4], .options = lines[5]};
}

void announce_failure(TcpStore& store, const std::string& prefix, const Failure& failure) noexcept {
  try {
    if (!store.try_get(prefix + "/failed")) store.set(prefix + "/failed", encode(failure));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // Rank 0 is lost, or there is no memory. The other ranks have their deadlines.
  }
}

HostIntroduction::HostIntroduction(TcpStore& store, std::string prefix, const std::string& options,
                                   std::vector<int> files, std::chrono::milliseconds timeout)
    : store_(store),
      prefix_(std::move(prefix)),
      rank_(store.world().rank),
      ranks_(store.world().world_size),
      timeout_(timeout),
      deadline_(timeout),
      own_({.boot = boot_id(),
            .network = network_namespace(),
            .socket = "leat-" + random_digits(16),
            .password = random_digits(32),
            .options = options}),
      server_(own_.socket, own_.password, std::move(files), static_cast<std::size_t>(ranks_)) {
  store_.set(key("host", rank_), encode(own_));
}

std::string HostIntroduction::key(const char* what, int rank) const {
  return fmt::format("{}/{}/{}", prefix_, what, rank);
}

std::optional<std::string> HostIntroduction::get(const std::string& key, std::chrono::milliseconds timeout) {
  try {
    return store_.try_get(key, timeout);
  } catch (const CommunicationError& error) {
    Failure failure = lost_store(store_, error.what());
    failure.text = fmt::format("rank {}: {}", rank_, failure.text);
    raise(failure);
  }
}

std::optional<Failure> HostIntroduction::announced() {
  const auto text = get(prefix_ + "/failed", 0ms);
  return text ? std::optional(decode_failure(*text)) : std::nullopt;
}

std::vector<std::string> HostIntroduction::get_all(const char* what) {
  std::vector<std::string> values;
  std::vector<int> missing;
  for (int rank = 0; rank < ranks_; ++rank) {
    auto value = get(key(what, rank), part_of(deadline_));
    while (!value && !deadline_.passed()) {
      if (const auto failure = announced()) raise(*failure);
      value = get(key(what, rank), part_of(deadline_));
    }
    if (!value) missing.push_back(rank);
    values.push_back(value.value_or(""));
  }
  if (!missing.empty()) {
    throw PeerSilent(missing, fmt::format("rank {} waited {} ms for the ranks of shared memory; missing: {}",
                                          rank_, timeout_.count(), name_ranks(missing, ranks_)));
  }
  return values;
}

std::vector<int> HostIntroduction::meet_all() {
  const std::vector<std::string> texts = get_all("host");
  std::vector<int> here;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto record = decode_host_record(texts[static_cast<std::size_t>(rank)]);
    if (!record)
      throw Disagreement({std::min(rank, rank_), std::max(rank, rank_)},
                         fmt::format("rank {}: rank {} runs another version of leat", rank_, rank));
    records_.push_back(*record);
    if (record->boot == own_.boot) here.push_back(rank);
  }
  return here;
}

void HostIntroduction::part() {
  store_.set(key("parted", rank_), "");
  get_all("parted");
}

std::optional<HostPeer> HostIntroduction::reach(int rank) {
  const HostRecord& record = record_of(rank);
  auto socket = connect_to_abstract(record.socket, deadline_);
  if (!socket) {
    if (record.network == own_.network) throw_gone(rank, "its process has ended");
    why_not_ = "it runs in another network namespace";
    return std::nullopt;
  }
  const PeerProcess process = process_at(socket->get());
  if (process.user != ::geteuid()) {
    why_not_ = fmt::format("it runs under user {}, not {}", process.user, ::geteuid());
    return std::nullopt;
  }
  if (process.pid == 0) {
    why_not_ = "it runs in another PID namespace";
    return std::nullopt;
  }
  HostPeer peer;
  try {
    peer.process = open_pidfd(process.pid);
  } catch (const SystemError& error) {
    if (error.code() == ESRCH) throw_gone(rank, "its process has ended");
    throw;
  }
  // The process that answers now is the one that the pidfd refers to: it listened before, and still does.
  if (!send_message(socket->get(), std::string(kFilesGreeting) + record.password, {}))
    throw_gone(rank, "its socket was closed");
  for (;;) {
    if (auto message = receive_message(socket->get())) {
      if (message->bytes != kFilesReply) throw_gone(rank, "its socket was closed");
      peer.files = std::move(message->files);
      return peer;
    }
    if (deadline_.passed()) {
      throw PeerSilent({rank}, fmt::format("rank {} waited {} ms for rank {} to hand out its memory", rank_,
                                           timeout_.count(), rank));
    }
    std::array<pollfd, 2> waits{{{.fd = socket->get(), .events = POLLIN, .revents = 0},
                                 {.fd = peer.process.get(), .events = POLLIN, .revents = 0}}};
    ::poll(waits.data(), waits.size(), static_cast<int>(part_of(deadline_).count()));
  }
}

void HostIntroduction::throw_gone(int rank, const std::string& how) {
  if (const auto failure = announced()) raise(*failure);
  throw PeerLost(rank, fmt::format("rank {}: rank {} was lost: {}", rank_, rank, how));
}

std::vector<int> ended_processes(const std::vector<UniqueFd>& processes) {
  std::vector<pollfd> waits;
  for (const UniqueFd& process : processes)
    waits.push_back({.fd = process.get(), .events = POLLIN, .revents = 0});
  std::vector<int> ended;
  if (::poll(waits.data(), waits.size(), 0) <= 0) return ended;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if ((waits[i].revents & POLLIN) != 0) ended.push_back(static_cast<int>(i));
  }
  return ended;
}

}  // namespace leat::detail
