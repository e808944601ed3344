#include "leat/parallel/nccl/communicator_watch.h"

#include <fmt/format.h>

#include <exception>
#include <string>

namespace leat::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kBusyQuestions = 200ms;  // to the store
constexpr auto kIdleInterval = 1000ms;
constexpr auto kEndedInterval = 60'000ms;
// A watchdog that runs reports within kIdleInterval.
constexpr auto kReportPatience = 3000ms;
// The rank that asked first may fail, too. The others then find out for themselves.
constexpr auto kAnnouncementPatience = 6000ms;

}  // namespace

std::chrono::milliseconds CommunicatorWatch::look() noexcept {
  if (handle_.has_failed()) return kEndedInterval;
  if (failure_) {
    handle_.try_to_fail(*failure_);
    return kBusyInterval;
  }
  try {
    look_for_failures();
  } catch (const std::exception& error) {
    end(failure_of(error));
  }
  return calls_.empty() && !failure_ && !hang_ && !culprit_deadline_ ? kIdleInterval : kBusyInterval;
}

void CommunicatorWatch::look_for_failures() {
  calls_.poll();
  const bool is_busy = !calls_.empty();
  const auto now = Clock::now();
  if (!is_busy || hang_ || culprit_deadline_ || now >= next_question_) {
    next_question_ = now + kBusyQuestions;
    ask_store();
  }
  if (!failure_) ask_nccl();
  if (!failure_) follow_hang();
}

void CommunicatorWatch::ask_store() {
  if (const auto failure = exchange_.news()) return end(*failure);
  if (has_reported_ || exchange_.is_cut_off() || !exchange_.is_asked()) return;
  exchange_.report(history_.report());
  has_reported_ = true;
}

void CommunicatorWatch::ask_nccl() {
  auto error = handle_.asynchronous_failure();
  if (!error) return;
  if (const std::string call = calls_.oldest(); !call.empty())
    error->failure.text += fmt::format("; {} had not ended", call);
  if (!culprit_deadline_) culprit_deadline_.emplace(NcclHandle::kCulpritPatience);
  if (!error->may_be_of_peer || culprit_deadline_->passed()) end(error->failure);
}

void CommunicatorWatch::follow_hang() {
  if (!hang_) {
    const auto overdue = calls_.overdue();
    if (!overdue) return;
    if (is_exchange(overdue->call))
      return end(diagnose_exchange(*overdue, static_cast<int>(reports_.size())));
    const bool asked_first = exchange_.ask();
    hang_ = Hang{.call = *overdue,
                 .asked_first = asked_first,
                 .deadline = Deadline(asked_first ? kReportPatience : kAnnouncementPatience)};
  }
  if (!hang_->asked_first && !hang_->deadline.passed()) return;
  if (collect_reports() || hang_->deadline.passed()) end(diagnose_hang(reports_, hang_->call));
}

bool CommunicatorWatch::collect_reports() {
  bool are_all_there = true;
  for (std::size_t rank = 0; rank < reports_.size(); ++rank) {
    if (!reports_[rank]) reports_[rank] = exchange_.report_of(static_cast<int>(rank));
    are_all_there = are_all_there && reports_[rank].has_value();
  }
  return are_all_there;
}

void CommunicatorWatch::end(const Failure& failure) {
  failure_ = exchange_.announce(failure);
  handle_.try_to_fail(*failure_);
}

}  // namespace leat::detail
