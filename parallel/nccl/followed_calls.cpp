#include "leat/parallel/nccl/followed_calls.h"

#include <utility>

namespace leat::detail {

FollowedCalls::~FollowedCalls() {
  while (owner_.is_current() && !entries_.empty()) end_oldest(nullptr);
}

void FollowedCalls::begin(const CollectiveCall& call, StreamRef stream, std::chrono::milliseconds limit) {
  const bool is_capture = device_.is_capturing(stream);
  std::shared_ptr<cuda::FailureLog> log = device_.failure_log(stream);
  const std::lock_guard lock(mutex_);
  is_capture_ = is_capture;
  if (is_capture) {
    captured_.insert(std::move(log));
    return;
  }
  if (spare_events_.empty()) spare_events_.push_back(device_.make_event(EventTiming::off));
  if (entries_.empty()) oldest_since_ = Clock::now();
  entries_.push_back({.call = call,
                      .stream = stream,
                      .limit = limit,
                      .log = std::move(log),
                      .event = std::move(spare_events_.back())});
  spare_events_.pop_back();
  entries_.back().number = entries_.back().log->add_work();
}

void FollowedCalls::enqueued() {
  std::unique_lock lock(mutex_);
  if (is_capture_ || entries_.empty()) return;  // empty: the communicator has failed meanwhile
  std::optional<Event> event = std::exchange(entries_.back().event, std::nullopt);
  const StreamRef stream = entries_.back().stream;
  lock.unlock();
  device_.record(*event, stream);
  lock.lock();
  if (entries_.empty()) return spare_events_.push_back(*std::move(event));
  entries_.back().event = std::move(event);
  entries_.back().is_recorded = true;
}

bool FollowedCalls::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

void FollowedCalls::poll() {
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() && entries_.front().is_recorded && device_.passed(*entries_.front().event))
    end_oldest(nullptr);
}

std::optional<OverdueCall> FollowedCalls::overdue() const {
  const std::lock_guard lock(mutex_);
  if (entries_.empty() || Clock::now() - oldest_since_ < entries_.front().limit) return std::nullopt;
  return OverdueCall{.call = entries_.front().call, .limit = entries_.front().limit};
}

std::string FollowedCalls::oldest() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty() ? std::string() : describe(entries_.front().call);
}

void FollowedCalls::fail(const std::exception_ptr& failure) noexcept {
  const std::lock_guard lock(mutex_);
  while (!entries_.empty()) end_oldest(has_passed(entries_.front()) ? nullptr : failure);
  for (const auto& log : std::exchange(captured_, {})) log->fail(failure);
}

void FollowedCalls::end_oldest(std::exception_ptr failure) {
  Entry& entry = entries_.front();
  entry.log->end_work(entry.number, std::move(failure));
  if (entry.event) spare_events_.push_back(*std::move(entry.event));
  entries_.pop_front();
  oldest_since_ = Clock::now();
}

bool FollowedCalls::has_passed(const Entry& entry) const noexcept {
  try {
    return entry.is_recorded && device_.passed(*entry.event);
  } catch (const std::exception&) {
    return false;  // the GPU is lost
  }
}

}  // namespace leat::detail
