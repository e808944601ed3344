#include "leat/parallel/nccl/hang_diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <utility>

namespace leat::detail {
namespace {

using Reports = std::vector<std::optional<CallReport>>;

// Returns the first rank whose report contains the call, or -1.
int rank_with(const Reports& reports, std::uint64_t number) {
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank] && reports[rank]->find(number) != nullptr) return static_cast<int>(rank);
  }
  return -1;
}

std::optional<Failure> disagreement_in(const Reports& reports, std::uint64_t number) {
  const int first = rank_with(reports, number);
  if (first < 0) return std::nullopt;
  const std::string& call = *reports[static_cast<std::size_t>(first)]->find(number);
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const std::string* const other = reports[rank] ? reports[rank]->find(number) : nullptr;
    if (other == nullptr || *other == call) continue;
    return Failure{.kind = Failure::Kind::disagreement,
                   .ranks = {first, static_cast<int>(rank)},
                   .text = fmt::format("the ranks disagree: rank {} calls {}, rank {} calls {}", first, call,
                                       rank, *other)};
  }
  return std::nullopt;
}

std::optional<Failure> first_disagreement(const Reports& reports) {
  std::set<std::uint64_t> numbers;  // in ascending order; a rank may be far behind the others
  for (const auto& report : reports) {
    if (!report) continue;
    for (std::uint64_t n = report->count - report->last.size(); n < report->count; ++n) numbers.insert(n);
  }
  for (const std::uint64_t number : numbers) {
    if (auto found = disagreement_in(reports, number)) return found;
  }
  return std::nullopt;
}

std::string describe_call(const Reports& reports, std::uint64_t number) {
  const int rank = rank_with(reports, number);
  return rank < 0 ? fmt::format("call #{}", number) : *reports[static_cast<std::size_t>(rank)]->find(number);
}

std::string place_of(int rank, const CallReport& report) {
  if (report.count == 0) return fmt::format("rank {} has made no call", rank);
  return fmt::format("rank {} is at {}", rank, report.last.back());
}

}  // namespace

Failure diagnose_exchange(const OverdueCall& overdue, int size) {
  return {.kind = Failure::Kind::peer_silent,
          .ranks = {overdue.call.root},
          .text = fmt::format("waited {} ms in {}: {} did not come", overdue.limit.count(),
                              describe(overdue.call), name_ranks({overdue.call.root}, size))};
}

Failure diagnose_hang(const Reports& reports, const OverdueCall& overdue) {
  if (auto found = first_disagreement(reports)) return *std::move(found);
  const int size = static_cast<int>(reports.size());
  const std::string call = describe_call(reports, overdue.call.number);
  std::vector<int> silent, behind;
  std::vector<std::string> places;
  for (int rank = 0; rank < size; ++rank) {
    const auto& report = reports[static_cast<std::size_t>(rank)];
    if (!report) {
      silent.push_back(rank);
    } else if (report->has_left && report->count <= overdue.call.number) {
      return {.kind = Failure::Kind::peer_lost,
              .ranks = {rank},
              .text = fmt::format(
                  "waited {} ms in {}: rank {} of {} has destroyed its communicator before, after {} "
                  "calls",
                  overdue.limit.count(), call, rank, size, report->count)};
    } else if (report->count <= overdue.call.number) {
      behind.push_back(rank);
      places.push_back(place_of(rank, *report));
    }
  }
  if (!silent.empty()) {
    return {
        .kind = Failure::Kind::peer_silent,
        .ranks = silent,
        .text = fmt::format("waited {} ms in {}: {} did not tell what it does; its process is stopped, or "
                            "its connection hangs",
                            overdue.limit.count(), call, name_ranks(silent, size))};
  }
  if (!behind.empty()) {
    return {.kind = Failure::Kind::peer_silent,
            .ranks = behind,
            .text = fmt::format("waited {} ms: {}, the others wait in {}", overdue.limit.count(),
                                fmt::join(places, ", "), call)};
  }
  return {.kind = Failure::Kind::other,
          .ranks = {},
          .text = fmt::format("{} did not end within {} ms, though all ranks have called it: a GPU or a "
                              "connection hangs",
                              call, overdue.limit.count())};
}

}  // namespace leat::detail
