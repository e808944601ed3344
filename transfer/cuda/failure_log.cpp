#include "leat/transfer/cuda/failure_log.h"

#include <limits>
#include <mutex>
#include <utility>

namespace leat::detail::cuda {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

std::mutex& mutex_of_logs() {
  static auto* const mutex = new std::mutex;  // never destroyed: host work may end while the process does
  return *mutex;
}

}  // namespace

std::uint64_t FailureLog::add_work() {
  const std::lock_guard lock(mutex_of_logs());
  settle(kAll);
  if (failure_ != nullptr) return kAll;  // behind the failure
  entries_.emplace_back();
  return count();
}

void FailureLog::end_work(std::uint64_t number, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_of_logs());
  if (failure_ != nullptr || number <= settled_) return;
  Entry& entry = entries_[number - settled_ - 1];
  entry.has_ended = true;
  entry.failure = std::move(failure);
  settle(kAll);
}

void FailureLog::add_wait(const FailureMark& source) {
  const std::lock_guard lock(mutex_of_logs());
  settle(kAll);
  if (failure_ != nullptr || source.log == nullptr || source.log.get() == this) return;
  source.log->settle(source.position);
  if (source.log->failure_ == nullptr && source.log->settled_ >= source.position) return;
  entries_.push_back({.has_ended = false, .failure = nullptr, .source = source});
}

void FailureLog::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_of_logs());
  settle(kAll);
  if (failure_ == nullptr) set_failure(settled_ + 1, std::move(failure));
}

FailureMark FailureLog::mark() {
  const std::lock_guard lock(mutex_of_logs());
  settle(kAll);
  if (failure_ != nullptr) return {shared_from_this(), kAll};
  return entries_.empty() ? FailureMark() : FailureMark{shared_from_this(), count()};
}

std::exception_ptr FailureLog::failure_before(std::uint64_t position) {
  const std::lock_guard lock(mutex_of_logs());
  settle(position);
  return failure_up_to(position);
}

std::exception_ptr FailureLog::failure() {
  return failure_before(kAll);
}

// Each entry is settled once. The recursion is as deep as there are streams, since the marks it follows are older and
// older (invariant 2).
void FailureLog::settle(std::uint64_t limit) {
  while (failure_ == nullptr && !entries_.empty() && settled_ < limit) {
    const Entry entry = entries_.front();
    std::exception_ptr failure = entry.failure;
    if (entry.source.log != nullptr) {
      FailureLog& source = *entry.source.log;
      source.settle(entry.source.position);
      failure = source.failure_up_to(entry.source.position);
      if (failure == nullptr && source.settled_ < entry.source.position && source.failure_ == nullptr) return;
    } else if (!entry.has_ended) {
      return;
    }
    if (failure != nullptr) return set_failure(settled_ + 1, std::move(failure));
    entries_.pop_front();
    ++settled_;
  }
}

void FailureLog::set_failure(std::uint64_t position, std::exception_ptr failure) {
  failure_ = std::move(failure);
  failed_at_ = position;
  entries_.clear();
}

std::exception_ptr FailureLog::failure_up_to(std::uint64_t position) const {
  return failed_at_ <= position ? failure_ : nullptr;
}

}  // namespace leat::detail::cuda
