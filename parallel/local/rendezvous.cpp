#include "leat/parallel/local/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/loader/os/brief_wait.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/os/futex.h"

namespace leat::detail {
namespace {

using Clock = std::chrono::steady_clock;

// A wait looks this often whether a rank has died.
constexpr std::chrono::nanoseconds kGlance = std::chrono::milliseconds(100);

// Ranks usually come within microseconds of each other. Sleeping and being woken take longer than that.
constexpr int kSpins = 200;

void write(FailureRecord& record, const Failure& failure) noexcept {
  record.kind = static_cast<std::uint32_t>(failure.kind);
  record.text_size = static_cast<std::uint32_t>(std::min(failure.text.size(), FailureRecord::kTextBytes));
  std::memcpy(record.text.data(), failure.text.data(), record.text_size);
  record.ranks.fill(0);
  for (const int rank : failure.ranks) {
    if (rank < 0 || rank >= kMaxMeetingRanks) continue;
    record.ranks[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64);
  }
}

Failure read(const FailureRecord& record, int ranks) {
  Failure failure{
      .kind = static_cast<Failure::Kind>(record.kind),
      .ranks = {},
      .text = std::string(record.text.data(), std::min<std::size_t>(record.text_size, record.text.size()))};
  for (int rank = 0; rank < ranks; ++rank) {
    if (record.ranks[static_cast<std::size_t>(rank) / 64] >> (rank % 64) & 1U) failure.ranks.push_back(rank);
  }
  return failure;
}

}  // namespace

Rendezvous::Rendezvous(RendezvousMemory memory, int rank, RendezvousOptions options)
    : memory_(memory),
      rank_(rank),
      spins_(usable_cpus() >= memory.ranks() ? kSpins : 0),
      options_(std::move(options)) {}

void Rendezvous::arrive(const RankCall& call, std::span<const std::byte> data) {
  slot_ ^= 1;
  current_ = call.call;
  RankCell& cell = memory_.cell(rank_);
  cell.calls[slot_] = call;
  if (!data.empty()) std::memcpy(cell.data[slot_].data(), data.data(), data.size());
  pass(Failing::throws, true);
}

void Rendezvous::meet() {
  pass(Failing::throws, false);
}

void Rendezvous::depart() noexcept {
  pass(Failing::ignored, false);
}

void Rendezvous::pass(Failing failing, bool compare) {
  if (!enter(failing)) return wait(failing);
  if (compare) {
    if (const auto problem = disagreement()) fail_and_throw(*problem);
  }
  begin_round(failing);
}

bool Rendezvous::enter(Failing failing) {
  auto& arrivals = memory_.cell(rank_).arrivals;
  arrivals.store(arrivals.load(std::memory_order_relaxed) + 1);
  std::uint32_t seen = word().load();
  do {
    const RendezvousState state(seen);
    if (failing == Failing::throws && state.failed()) throw_failure(state);
    round_ = state.round();
  } while (!word().compare_exchange_weak(seen, RendezvousState(seen).with_arrival().word()));
  if (failing == Failing::throws) fail_if_left();
  return RendezvousState(seen).arrived() + 1 == ranks();
}

void Rendezvous::begin_round(Failing failing) {
  std::uint32_t seen = word().load();
  do {
    const RendezvousState state(seen);
    if (failing == Failing::throws && state.failed()) throw_failure(state);
  } while (!word().compare_exchange_weak(seen, RendezvousState(seen).next_round().word()));
  wake(false);
}

bool Rendezvous::begun(RendezvousState state, Failing failing) const {
  if (state.round() != round_) return true;  // first: a round that has begun is carried out (invariant 1)
  if (failing == Failing::throws && state.failed()) throw_failure(state);
  return false;
}

void Rendezvous::wait(Failing failing) {
  for (int spin = 0; spin < spins_; ++spin) {
    if (begun(RendezvousState(word().load(std::memory_order_acquire)), failing)) return;
  }
  if (wait_briefly([&] { return begun(RendezvousState(word().load(std::memory_order_acquire)), failing); }))
    return;
  // Only observed time counts: while this process is stopped, or the machine sleeps, no rank becomes overdue.
  std::chrono::nanoseconds waited{0};
  for (;;) {
    const Clock::time_point before = Clock::now();
    const auto left = std::chrono::nanoseconds(options_.timeout) - waited;
    sleep(failing == Failing::throws ? std::clamp(left, std::chrono::nanoseconds(0), kGlance) : kGlance,
          failing);
    if (begun(RendezvousState(word().load(std::memory_order_acquire)), failing)) return;
    waited += std::min<std::chrono::nanoseconds>(Clock::now() - before, 2 * kGlance);
    if (failing == Failing::throws) give_up_if_hopeless(waited, [this] { return missing(); });
  }
}

void Rendezvous::wait_for_peer(int peer, const CollectiveCall& call, const std::function<bool()>& done) {
  current_ = call;
  const auto over = [&] {
    if (done()) return true;
    const RendezvousState state(word().load());
    if (state.failed()) throw_failure(state);
    return false;
  };
  for (int spin = 0; spin < spins_; ++spin) {
    if (over()) return;
  }
  if (wait_briefly(over)) return;
  std::chrono::nanoseconds waited{0};  // as in wait(), only observed time counts
  for (;;) {
    const std::uint32_t seen = memory_.cell(rank_).bell.load();
    const bool left = memory_.cell(peer).left.load() != 0;
    if (over()) return;
    if (left) {
      fail_and_throw({.kind = Failure::Kind::peer_lost,
                      .ranks = {peer},
                      .text = fmt::format("rank {} calls {}, but {} left the group", rank_,
                                          describe(current_), name_ranks({peer}, ranks()))});
    }
    const Clock::time_point before = Clock::now();
    const auto left_over = std::chrono::nanoseconds(options_.timeout) - waited;
    futex_wait_until(memory_.cell(rank_).bell, seen,
                     before + std::clamp(left_over, std::chrono::nanoseconds(0), kGlance));
    if (over()) return;
    waited += std::min<std::chrono::nanoseconds>(Clock::now() - before, 2 * kGlance);
    give_up_if_hopeless(waited, [peer] { return std::vector<int>{peer}; });
  }
}

void Rendezvous::ring(int rank) const noexcept {
  auto& bell = memory_.cell(rank).bell;
  bell.fetch_add(1);
  futex_wake_all(bell);
}

void Rendezvous::sleep(std::chrono::nanoseconds at_most, Failing failing) const noexcept {
  auto& sleepers = memory_.header().sleepers;
  sleepers.fetch_add(1);
  const RendezvousState state(word().load());
  if (state.round() == round_ && (failing == Failing::ignored || !state.failed()))
    futex_wait_until(word(), state.word(), Clock::now() + at_most);
  sleepers.fetch_sub(1);
}

void Rendezvous::give_up_if_hopeless(std::chrono::nanoseconds waited,
                                     const std::function<std::vector<int>()>& absentees) {
  if (auto problem = options_.find_problem ? options_.find_problem() : std::nullopt) {
    problem->text = fmt::format("rank {}: {}: {}", rank_, describe(current_), problem->text);
    return fail(*problem);  // the caller looks again: a rank that has ended may have arrived first
  }
  if (waited < options_.timeout) return;
  const std::vector<int> absent = absentees();
  fail({.kind = Failure::Kind::peer_silent,
        .ranks = absent,
        .text = fmt::format("rank {}: {} waited {} ms; missing: {}", rank_, describe(current_),
                            options_.timeout.count(), name_ranks(absent, ranks()))});
}

void Rendezvous::wake(bool certainly) const noexcept {
  if (certainly || memory_.header().sleepers.load() != 0) futex_wake_all(word());
}

void Rendezvous::fail_and_throw(const Failure& failure) {
  fail(failure);
  throw_failure(RendezvousState(word().load()));
}

void Rendezvous::throw_failure(RendezvousState state) const {
  raise(read(memory_.cell(state.failed_rank()).failure, ranks()));
}

void Rendezvous::fail_if_left() {
  if (memory_.header().leavers.load() == 0) return;
  std::vector<int> gone;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (memory_.cell(rank).left.load() != 0) gone.push_back(rank);
  }
  if (gone.empty()) return;
  fail_and_throw({.kind = Failure::Kind::peer_lost,
                  .ranks = {gone.front()},
                  .text = fmt::format("rank {} calls {}, but {} left the group", rank_, describe(current_),
                                      name_ranks(gone, ranks()))});
}

std::optional<Failure> Rendezvous::disagreement() const {
  const CollectiveCall& first = call_of(0).call;
  for (int rank = 1; rank < ranks(); ++rank) {
    const CollectiveCall& other = call_of(rank).call;
    if (agree(first, other)) continue;
    return Failure{.kind = Failure::Kind::disagreement,
                   .ranks = {0, rank},
                   .text = fmt::format("the ranks disagree: rank 0 calls {}, rank {} calls {}",
                                       describe(first), rank, describe(other))};
  }
  return std::nullopt;
}

std::vector<int> Rendezvous::missing() const {
  const std::uint32_t mine = memory_.cell(rank_).arrivals.load();
  std::vector<int> ranks;
  for (int rank = 0; rank < memory_.ranks(); ++rank) {
    if (memory_.cell(rank).arrivals.load() != mine) ranks.push_back(rank);
  }
  return ranks;
}

void Rendezvous::fail(const Failure& failure) noexcept {
  const std::lock_guard lock(failing_);
  std::uint32_t seen = word().load();
  if (RendezvousState(seen).failed()) return;
  write(memory_.cell(rank_).failure, failure);
  do {
    if (RendezvousState(seen).failed()) return;
  } while (!word().compare_exchange_weak(seen, RendezvousState(seen).with_failure(rank_).word()));
  wake(true);
  for (int rank = 0; rank < ranks(); ++rank) ring(rank);
}

void Rendezvous::leave() noexcept {
  memory_.cell(rank_).left.store(1);
  memory_.header().leavers.fetch_add(1);
  for (int rank = 0; rank < ranks(); ++rank) ring(rank);
  if (RendezvousState(word().load()).arrived() == 0) return;
  fail({.kind = Failure::Kind::peer_lost,
        .ranks = {rank_},
        .text = fmt::format("rank {} left the group while others wait for it", rank_)});
}

}  // namespace leat::detail
