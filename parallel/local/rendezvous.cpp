#include "leat/parallel/local/rendezvous.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace leat::detail {

Rendezvous::Rendezvous(int ranks, std::chrono::milliseconds timeout)
    : ranks_(ranks),
      timeout_(timeout),
      calls_(static_cast<std::size_t>(ranks)),
      arrived_(static_cast<std::size_t>(ranks), false),
      staying_(static_cast<std::size_t>(ranks), true) {}

void Rendezvous::fail_and_throw(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  changed_.notify_all();
  throw CommunicationError(failure_);
}

std::string Rendezvous::missing(const std::vector<bool>& present) const {
  std::vector<int> ranks;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!present[static_cast<std::size_t>(rank)]) ranks.push_back(rank);
  }
  return fmt::format("rank{} {} of {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "), ranks_);
}

std::string Rendezvous::disagreement() const {
  const auto other = std::find_if(calls_.begin(), calls_.end(),
                                  [this](const CollectiveCall& call) { return !agree(call, calls_[0]); });
  if (other == calls_.end()) return {};
  return fmt::format("the ranks disagree: rank 0 calls {}, rank {} calls {}", describe(calls_[0]),
                     other - calls_.begin(), describe(*other));
}

void Rendezvous::begin_round() {
  if (std::string problem = disagreement(); !problem.empty()) fail_and_throw(std::move(problem));
  std::fill(arrived_.begin(), arrived_.end(), false);
  working_ = ranks_;
  ++round_;
  changed_.notify_all();
}

void Rendezvous::enter(int rank, const CollectiveCall& call) {
  if (!failure_.empty()) throw CommunicationError(failure_);
  calls_[static_cast<std::size_t>(rank)] = call;
  arrived_[static_cast<std::size_t>(rank)] = true;
  if (std::find(staying_.begin(), staying_.end(), false) != staying_.end()) {
    fail_and_throw(
        fmt::format("rank {} calls {}, but {} left the group", rank, describe(call), missing(staying_)));
  }
}

void Rendezvous::arrive(int rank, const CollectiveCall& call) {
  std::unique_lock lock(mutex_);
  enter(rank, call);
  const std::uint64_t before = round_;
  if (std::find(arrived_.begin(), arrived_.end(), false) == arrived_.end()) {
    begin_round();
    return;
  }
  const bool in_time =
      changed_.wait_for(lock, timeout_, [&] { return round_ != before || !failure_.empty(); });
  if (round_ != before) return;  // first: the others wait for this rank to depart (invariant 1)
  if (!in_time) {
    fail_and_throw(fmt::format("rank {}: {} waited {} ms; missing: {}", rank, describe(call),
                               timeout_.count(), missing(arrived_)));
  }
  throw CommunicationError(failure_);
}

void Rendezvous::depart() {
  std::unique_lock lock(mutex_);
  if (--working_ == 0) {
    changed_.notify_all();
  } else {
    changed_.wait(lock, [this] { return working_ == 0; });
  }
}

void Rendezvous::fail(std::string_view why) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why;
  changed_.notify_all();
}

void Rendezvous::leave(int rank) noexcept {
  const std::lock_guard lock(mutex_);
  staying_[static_cast<std::size_t>(rank)] = false;
  const bool awaited = std::find(arrived_.begin(), arrived_.end(), true) != arrived_.end();
  if (!awaited || !failure_.empty()) return;
  failure_ = fmt::format("rank {} left the group while others wait for it", rank);
  changed_.notify_all();
}

}  // namespace leat::detail
