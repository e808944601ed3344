#include "leat/parallel/nccl/failure_exchange.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

namespace leat::detail {
namespace {

// How long a rank waits for an announcement that another rank has begun.
constexpr auto kAnnouncementPatience = std::chrono::seconds(1);

}  // namespace

std::string FailureExchange::key(const char* name, int rank) const {
  return fmt::format("{}/{}/{}", prefix_, name, rank);
}

void FailureExchange::join() {
  store_.set(key("joined", store_.world().rank), "1");
}

std::vector<int> FailureExchange::absent() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < store_.world().world_size; ++rank) {
    if (!store_.try_get(key("joined", rank))) ranks.push_back(rank);
  }
  return ranks;
}

std::optional<Failure> FailureExchange::news() const noexcept {
  try {
    return find_news();
  } catch (const std::exception& error) {
    if (store_.server_rank()) return failure_of(error);
    is_cut_off_ = true;
    return std::nullopt;
  }
}

std::optional<Failure> FailureExchange::find_news() const {
  if (const auto announced = store_.try_get(prefix_ + "/aborted")) return decode_failure(*announced);
  const std::vector<int> lost = store_.lost_ranks();
  if (lost.empty()) return std::nullopt;
  return Failure{.kind = Failure::Kind::peer_lost,
                 .ranks = {lost.front()},
                 .text = fmt::format("rank {} of {} was lost: its connection to the store has ended",
                                     lost.front(), store_.world().world_size)};
}

Failure FailureExchange::announce(Failure failure) noexcept {
  try {
    if (failure.kind == Failure::Kind::other)
      failure.text = fmt::format("rank {}: {}", store_.world().rank, failure.text);
    if (store_.add(prefix_ + "/failures", 1) == 1) {
      store_.set(prefix_ + "/aborted", encode(failure));
    } else if (const auto first = store_.try_get(prefix_ + "/aborted", kAnnouncementPatience)) {
      return decode_failure(*first);
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The store is gone, and so is rank 0. The other ranks notice that as this rank did.
  }
  return failure;
}

bool FailureExchange::ask() {
  return store_.add(prefix_ + "/asked", 1) == 1;
}

bool FailureExchange::is_asked() const {
  return store_.try_get(prefix_ + "/asked").has_value();
}

void FailureExchange::report(const CallReport& calls) {
  store_.set(key("report", store_.world().rank), encode(calls));
}

std::optional<CallReport> FailureExchange::report_of(int rank) const {
  const auto text = store_.try_get(key("report", rank));
  return text ? decode_report(*text) : std::nullopt;
}

}  // namespace leat::detail
