#include "leat/parallel/tcp_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <numeric>
#include <sstream>
#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/host/call_checks.h"
#include "leat/parallel/host/failure.h"
#include "leat/parallel/store/check_group.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/fair_mutex.h"
#include "leat/parallel/store/store_protocol.h"
#include "leat/parallel/store/store_search.h"
#include "leat/parallel/store/store_server.h"
#include "leat/parallel/store/store_settings.h"
#include "leat/parallel/store/tcp_socket.h"

namespace leat {

using namespace detail;

namespace {

// Time allowed for a reply beyond the requested wait, for the network and a busy machine.
constexpr auto kReplyGrace = std::chrono::seconds(10);
constexpr auto kGoodbyePatience = std::chrono::seconds(10);
// A call that waits longer for a key lets other threads' calls pass in between.
constexpr auto kLongestHold = std::chrono::milliseconds(100);

std::vector<int> all_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::optional<int> place_in(std::span<const int> ranks, int rank) {
  const auto place = std::ranges::find(ranks, rank);
  if (place == ranks.end()) return std::nullopt;
  return static_cast<int>(place - ranks.begin());
}

}  // namespace

class TcpStore::Impl {
 public:
  Impl(const WorldSettings& world, std::chrono::milliseconds timeout);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const WorldSettings& world() const noexcept { return world_; }
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  const std::string& local_address() const noexcept { return local_address_; }
  // `server` is the number by which the caller knows the rank that serves the store, if it does.
  StoreReply request(const StoreRequest& request, std::optional<int> server);
  StoreReply get(const std::string& key, std::chrono::milliseconds wait, std::optional<int> server);

 private:
  // The caller of these holds mutex_.
  StoreReply receive_reply(const Deadline& deadline);
  void fail(Failure::Kind kind, std::string_view why);
  [[noreturn]] void raise_failure(std::optional<int> server, std::string_view introduction = {}) const;

  // Constant after construction.
  WorldSettings world_;
  const std::chrono::milliseconds timeout_;
  const ProcessIdentity owner_;
  ProcessOwned<StoreServer> server_;  // null except on rank 0
  std::string local_address_;

  // Guarded by mutex_.
  FairMutex mutex_;
  UniqueFd connection_;  // closed after the first failure: replies would no longer match requests
  Failure failure_;      // of rank 0, once the connection is closed
};

TcpStore::Impl::Impl(const WorldSettings& world, std::chrono::milliseconds timeout)
    : world_(world), timeout_(timeout) {
  check(world_);
  check_address(world_);
  if (world_.rank == 0) {
    UniqueFd listener = listen_at(world_.master_address, world_.master_port, world_.master_ports);
    world_.master_port = detail::local_port(listener.get());
    world_.master_ports = 1;
    server_ = make_process_owned<StoreServer>(std::move(listener), world_);
  }
  StoreConnection found = StoreSearch(world_, Deadline(timeout)).run();
  connection_ = std::move(found.fd);
  world_.master_port = found.port;
  world_.master_ports = 1;
  local_address_ = detail::local_address(connection_.get());
}

TcpStore::Impl::~Impl() {
  if (!owner_.is_current()) return;
  try {
    request({.op = StoreOp::goodbye}, 0);
  } catch (const Error&) {
    connection_.reset();  // rank 0 or the connection is gone: there is no one to tell
  }
  if (server_) server_->wait_for_goodbyes(Deadline(kGoodbyePatience));
}

StoreReply TcpStore::Impl::receive_reply(const Deadline& deadline) {
  std::array<char, kReplyHeaderBytes> bytes;
  receive_all(connection_.get(), bytes, deadline);
  const StoreReplyHeader header = decode_reply_header({bytes.data(), bytes.size()});
  StoreReply reply{.status = header.status, .payload = std::string(header.size, '\0')};
  receive_all(connection_.get(), reply.payload, deadline);
  return reply;
}

StoreReply TcpStore::Impl::request(const StoreRequest& request, std::optional<int> server) {
  check_process(owner_, "this connection to the store");
  const std::string bytes = encode(request);
  const std::lock_guard lock(mutex_);
  if (!connection_) {
    raise_failure(
        server, fmt::format("rank {}: the connection to the store of rank 0 was lost before: ", world_.rank));
  }
  const Deadline deadline(std::chrono::milliseconds(request.wait_ms) + kReplyGrace);
  try {
    send_all(connection_.get(), bytes, deadline);
    StoreReply reply = receive_reply(deadline);
    if (reply.status != StoreStatus::refused) return reply;
    fail(Failure::Kind::other, reply.payload);
  } catch (const std::exception& error) {
    fail(deadline.passed() ? Failure::Kind::peer_silent : Failure::Kind::peer_lost, error.what());
  }
  raise_failure(server);
}

// A rank 0 that cannot reach its own server is not lost.
void TcpStore::Impl::fail(Failure::Kind kind, std::string_view why) {
  connection_.reset();
  const std::string text = fmt::format("rank {}: the store of rank 0 at {}:{}: {}", world_.rank,
                                       world_.master_address, world_.master_port, why);
  if (world_.rank == 0 || kind == Failure::Kind::other) {
    failure_ = {.kind = Failure::Kind::other, .ranks = {}, .text = text};
  } else {
    failure_ = {.kind = kind, .ranks = {0}, .text = text};
  }
}

void TcpStore::Impl::raise_failure(std::optional<int> server, std::string_view introduction) const {
  Failure failure = failure_;
  failure.text = fmt::format("{}{}", introduction, failure.text);
  if (!failure.ranks.empty()) failure.ranks = {server.value_or(0)};
  if (!server) failure = {.kind = Failure::Kind::other, .ranks = {}, .text = failure.text};
  raise(failure);
}

StoreReply TcpStore::Impl::get(const std::string& key, std::chrono::milliseconds wait,
                               std::optional<int> server) {
  const Deadline deadline(wait);
  while (true) {
    const auto slice = std::min<std::chrono::milliseconds>(deadline.left(), kLongestHold);
    StoreReply reply = request(
        {.op = StoreOp::get, .wait_ms = static_cast<std::uint32_t>(slice.count()), .key = key}, server);
    if (reply.status != StoreStatus::missing || deadline.passed()) return reply;
  }
}

TcpStore::TcpStore(const WorldSettings& world, std::chrono::milliseconds timeout)
    : impl_(std::make_shared<Impl>(world, timeout)),
      world_(impl_->world()),
      job_ranks_(all_ranks(world_.world_size)),
      server_rank_(0) {}
TcpStore::TcpStore(std::shared_ptr<Impl> impl, WorldSettings world, std::string prefix,
                   std::vector<int> job_ranks)
    : impl_(std::move(impl)),
      world_(std::move(world)),
      prefix_(std::move(prefix)),
      job_ranks_(std::move(job_ranks)),
      server_rank_(place_in(job_ranks_, 0)) {}
TcpStore::~TcpStore() = default;

std::shared_ptr<TcpStore> TcpStore::group(std::span<const int> ranks, const std::string& name) const {
  check_group(ranks, world_);
  WorldSettings world = world_;
  world.rank = place_in(ranks, world_.rank).value();
  world.world_size = static_cast<int>(ranks.size());
  world.local_world_size = 0;
  std::vector<int> job_ranks;
  for (const int rank : ranks) job_ranks.push_back(job_ranks_[static_cast<std::size_t>(rank)]);
  // Not make_shared(), which cannot call a private constructor.
  return std::shared_ptr<TcpStore>(new TcpStore(
      impl_, std::move(world), fmt::format("{}leat/group/{}/", prefix_, name), std::move(job_ranks)));
}
std::chrono::milliseconds TcpStore::timeout() const noexcept {
  return impl_->timeout();
}
const std::string& TcpStore::local_address() const noexcept {
  return impl_->local_address();
}

void TcpStore::set(const std::string& key, std::string_view value) {
  impl_->request({.op = StoreOp::set, .key = prefix_ + key, .value = std::string(value)}, server_rank_);
}

std::optional<std::string> TcpStore::try_get(const std::string& key, std::chrono::milliseconds timeout) {
  using std::chrono::milliseconds;
  StoreReply reply = impl_->get(
      prefix_ + key, std::clamp(timeout, milliseconds(0), milliseconds(0xffffffffLL)), server_rank_);
  if (reply.status == StoreStatus::missing) return std::nullopt;
  return std::move(reply.payload);
}

std::string TcpStore::get(const std::string& key) {
  return get(key, timeout());
}

std::string TcpStore::get(const std::string& key, std::chrono::milliseconds timeout) {
  if (auto value = try_get(key, timeout)) return std::move(*value);
  throw CommunicationError(fmt::format("rank {}: nobody set \"{}\" in the store within {} ms", world().rank,
                                       prefix_ + key, timeout.count()));
}

std::vector<int> TcpStore::lost_ranks() {
  const StoreReply reply = impl_->get(kLostRanksKey, std::chrono::milliseconds(0), server_rank_);
  std::vector<int> lost;
  std::istringstream ranks(reply.status == StoreStatus::missing ? "" : reply.payload);
  for (int rank = 0; ranks >> rank;) {
    if (const auto place = place_in(job_ranks_, rank)) lost.push_back(*place);
  }
  std::ranges::sort(lost);
  return lost;
}

std::int64_t TcpStore::add(const std::string& key, std::int64_t delta) {
  const std::string sum =
      impl_->request({.op = StoreOp::add, .key = prefix_ + key, .value = std::to_string(delta)}, server_rank_)
          .payload;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(sum.data(), sum.data() + sum.size(), value);
  if (error != std::errc() || stop != sum.data() + sum.size()) {
    throw CommunicationError(
        fmt::format("rank {}: the store returned no number as the sum of \"{}\"", world().rank, key));
  }
  return value;
}

void TcpStore::wait(std::span<const std::string> keys, std::chrono::milliseconds timeout) {
  const Deadline deadline(timeout);
  for (const std::string& key : keys) get(key, deadline.left());
}

void TcpStore::compare_settings(std::span<const JobSetting> settings, std::chrono::milliseconds timeout) {
  const std::string own = encode_settings(settings);
  const std::string prefix = fmt::format("leat/settings/{}", comparisons_++);
  const auto key = [&](int rank) { return fmt::format("{}/{}", prefix, rank); };
  const std::string outcome_key = prefix + "/outcome";
  set(key(world().rank), own);
  if (world().rank == 0) {
    const Deadline deadline(timeout);
    SettingsComparison comparison;
    for (int rank = 0; rank < world().world_size; ++rank) {
      comparison.add(rank, try_get(key(rank), deadline.left()));
    }
    set(outcome_key, encode_outcome(comparison.outcome(timeout)));
  }
  // Rank 0 may come as late as others, and then waits for them.
  const auto patience = 2 * timeout + kReplyGrace;
  const auto outcome = try_get(outcome_key, patience);
  if (!outcome) {
    throw CommunicationError(fmt::format("rank {}: rank 0 did not come to compare settings within {} ms",
                                         world().rank, patience.count()));
  }
  throw_outcome(*outcome);
}

}  // namespace leat
