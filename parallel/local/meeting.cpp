#include "leat/parallel/local/meeting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace leat::detail {

Meeting::Meeting(int ranks, std::chrono::milliseconds timeout)
    : ranks_(ranks),
      timeout_(timeout),
      calls_(static_cast<std::size_t>(ranks)),
      arrived_(static_cast<std::size_t>(ranks), false),
      staying_(static_cast<std::size_t>(ranks), true) {}

void Meeting::fail(std::string why) {
  if (poison_.empty()) poison_ = std::move(why);
  changed_.notify_all();
  throw CommunicationError(poison_);
}

std::string Meeting::missing(const std::vector<bool>& present) const {
  std::vector<int> ranks;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!present[static_cast<std::size_t>(rank)]) ranks.push_back(rank);
  }
  return fmt::format("rank{} {} of {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "), ranks_);
}

std::string Meeting::disagreement() const {
  const auto other = std::find_if(calls_.begin(), calls_.end(),
                                  [this](const CollectiveCall& call) { return !agree(call, calls_[0]); });
  if (other == calls_.end()) return {};
  return fmt::format("the ranks disagree: rank 0 calls {}, rank {} calls {}", describe(calls_[0]),
                     other - calls_.begin(), describe(*other));
}

void Meeting::begin_round() {
  if (std::string problem = disagreement(); !problem.empty()) fail(std::move(problem));
  std::fill(arrived_.begin(), arrived_.end(), false);
  working_ = ranks_;
  ++round_;
  changed_.notify_all();
}

void Meeting::arrive(int rank, const CollectiveCall& call) {
  if (!poison_.empty()) throw CommunicationError(poison_);
  calls_[static_cast<std::size_t>(rank)] = call;
  arrived_[static_cast<std::size_t>(rank)] = true;
  if (std::find(staying_.begin(), staying_.end(), false) != staying_.end()) {
    fail(fmt::format("rank {} calls {}, but {} left the group", rank, describe(call), missing(staying_)));
  }
}

void Meeting::meet(int rank, const CollectiveCall& call) {
  std::unique_lock lock(mutex_);
  arrive(rank, call);
  const std::uint64_t before = round_;
  if (std::find(arrived_.begin(), arrived_.end(), false) == arrived_.end()) {
    begin_round();
    return;
  }
  const bool in_time =
      changed_.wait_for(lock, timeout_, [&] { return round_ != before || !poison_.empty(); });
  if (round_ != before) return;  // first: the others count on this rank's part (invariant 1)
  if (!in_time) {
    fail(fmt::format("rank {}: {} waited {} ms; missing: {}", rank, describe(call), timeout_.count(),
                     missing(arrived_)));
  }
  throw CommunicationError(poison_);
}

void Meeting::part() {
  std::unique_lock lock(mutex_);
  if (--working_ == 0) {
    changed_.notify_all();
  } else {
    changed_.wait(lock, [this] { return working_ == 0; });
  }
}

void Meeting::poison(std::string_view why) noexcept {
  const std::lock_guard lock(mutex_);
  if (poison_.empty()) poison_ = why;
  changed_.notify_all();
}

void Meeting::leave(int rank) noexcept {
  const std::lock_guard lock(mutex_);
  staying_[static_cast<std::size_t>(rank)] = false;
  const bool awaited = std::find(arrived_.begin(), arrived_.end(), true) != arrived_.end();
  if (!awaited || !poison_.empty()) return;
  poison_ = fmt::format("rank {} left the group while others wait for it", rank);
  changed_.notify_all();
}

}  // namespace leat::detail
