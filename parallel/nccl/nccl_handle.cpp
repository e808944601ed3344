#include "leat/parallel/nccl/nccl_handle.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "leat/loader/os/service_thread.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/host/call_checks.h"

namespace leat::detail {
namespace {

// NCCL does not notify when it is done, so its state must be polled.
constexpr auto kPollInterval = std::chrono::milliseconds(1);
constexpr auto kQuestionInterval = std::chrono::milliseconds(100);
constexpr auto kCulpritInterval = std::chrono::milliseconds(20);

ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

bool may_be_of_peer(ncclResult_t result) {
  return result == ncclRemoteError || result == ncclSystemError;
}

}  // namespace

struct NcclHandle::Poll {
  explicit Poll(std::chrono::milliseconds timeout) : deadline(timeout), next_question(kQuestionInterval) {}
  Deadline deadline;
  Deadline next_question;
};

NcclHandle::NcclHandle(const NcclApi& api, int device, int ranks, const ncclUniqueId& id, int rank,
                       std::chrono::milliseconds timeout, Hooks hooks)
    : api_(api), device_(device), timeout_(timeout), hooks_(std::move(hooks)) {
  Lock lock(mutex_);
  const auto current = api_.make_current(device_);
  ncclConfig_t config = non_blocking();
  const ncclResult_t result = api_.comm_init_rank_config(&handle_, ranks, id, rank, &config);
  // Success only means that NCCL has begun. The communicator's own state tells the result.
  settle(lock, "ncclCommInitRankConfig", result == ncclSuccess ? ncclInProgress : result);
}

NcclHandle::~NcclHandle() {
  if (!owner_.is_current()) return;  // the communicator is the parent's
  Lock lock(mutex_);
  if (handle_ == nullptr) {
    wait_for_abort(lock);
    return;
  }
  try {
    const auto current = api_.make_current(device_);
    settle(lock, "ncclCommFinalize", api_.comm_finalize(handle_));
    api_.comm_destroy(std::exchange(handle_, nullptr));
  } catch (const std::exception& error) {
    // settle() has aborted the communicator, so it is freed, though not in an orderly way.
    hooks_.ended_by_abort(failure_of(error));
  }
}

void NcclHandle::call(const char* name, const Call& function) {
  check_process(owner_, "this communicator");
  Lock lock(mutex_);
  require_open(lock);
  const auto current = api_.make_current(device_);
  settle(lock, name, function(handle_));
}

void NcclHandle::wait_until(const char* name, const std::function<bool()>& done,
                            std::chrono::milliseconds limit) {
  Lock lock(mutex_);
  require_open(lock);
  Poll poll(limit);
  while (true) {
    const ncclResult_t state = asynchronous_error();
    if (state != ncclSuccess && state != ncclInProgress) fail(lock, name, state);
    if (done()) return;
    pause(lock, name, poll);
  }
}

void NcclHandle::throw_if_failed() {
  check_process(owner_, "this communicator");
  if (!has_failed_) return;
  Lock lock(mutex_);
  require_open(lock);
}

std::optional<NcclHandle::AsynchronousFailure> NcclHandle::asynchronous_failure() {
  const Lock lock(mutex_, std::try_to_lock);
  if (!lock || handle_ == nullptr) return std::nullopt;
  const ncclResult_t state = asynchronous_error();
  if (state == ncclSuccess || state == ncclInProgress) return std::nullopt;
  return AsynchronousFailure{.failure = describe_error("ncclCommGetAsyncError", state),
                             .may_be_of_peer = may_be_of_peer(state)};
}

void NcclHandle::settle(Lock& lock, const char* name, ncclResult_t result) {
  Poll poll(timeout_);
  while (result == ncclInProgress) {
    pause(lock, name, poll);
    result = asynchronous_error();
  }
  if (result != ncclSuccess) fail(lock, name, result);
}

void NcclHandle::pause(Lock& lock, const char* name, Poll& poll) {
  ended_.wait_for(lock, kPollInterval, [this] { return failure_.has_value(); });
  require_open(lock);
  std::optional<Failure> reason;
  lock.unlock();  // the questions may take a while, and must not block abort()
  if (poll.deadline.passed()) {
    reason = hooks_.explain_timeout(
        fmt::format("{} did not end within {} ms: a rank is missing or stuck", name, timeout_.count()));
  } else if (poll.next_question.passed()) {
    poll.next_question = Deadline(kQuestionInterval);
    reason = hooks_.news();
  }
  lock.lock();
  require_open(lock);
  if (reason) fail(lock, *std::move(reason));
}

ncclResult_t NcclHandle::asynchronous_error() {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t result = api_.comm_get_async_error(handle_, &state);
  return result == ncclSuccess ? state : result;
}

Failure NcclHandle::describe_error(const char* name, ncclResult_t result) {
  const char* detail = api_.get_last_error(handle_);
  return {.kind = Failure::Kind::other,
          .ranks = {},
          .text = fmt::format("{}: {} ({})", name, api_.get_error_string(result),
                              detail == nullptr ? "no detail" : detail)};
}

void NcclHandle::fail(Lock& lock, const char* name, ncclResult_t result) {
  Failure why = describe_error(name, result);
  const Deadline patience(may_be_of_peer(result) ? kCulpritPatience : std::chrono::milliseconds(0));
  while (!failure_ && !patience.passed()) {
    lock.unlock();
    auto news = hooks_.news();
    lock.lock();
    require_open(lock);
    if (news) fail(lock, *std::move(news));
    ended_.wait_for(lock, kCulpritInterval, [this] { return failure_.has_value(); });
  }
  fail(lock, std::move(why));
}

void NcclHandle::fail(Lock& lock, Failure why) {
  end(std::move(why));
  throw_failure(lock);
}

void NcclHandle::throw_failure(Lock& lock) {
  wait_for_abort(lock);
  raise(*failure_);
}

void NcclHandle::require_open(Lock& lock) {
  if (failure_) throw_failure(lock);
}

void NcclHandle::end(Failure why) {
  if (failure_) return;
  failure_ = std::move(why);
  has_failed_ = true;
  ended_.notify_all();
  hooks_.before_abort(make_exception(*failure_));
  if (handle_ != nullptr) start_abort();
}

// The thread holds copies of what it uses: it may outlive this object.
void NcclHandle::start_abort() {
  const auto done = std::make_shared<std::promise<void>>();
  aborted_ = done->get_future().share();
  abort_deadline_.emplace(kAbortPatience);
  const auto abort = [done, handle = std::exchange(handle_, nullptr), device = device_,
                      make_current = api_.make_current, comm_abort = api_.comm_abort] {
    try {
      const auto current = make_current(device);
      // It frees the communicator, whatever it returns.
      comm_abort(handle);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
      // The device cannot be made current, so nothing runs on it either.
    }
    done->set_value();
  };
  try {
    start_service_thread("leat-nccl-abort", abort).detach();
  } catch (const std::exception&) {
    abort();
  }
}

void NcclHandle::wait_for_abort(Lock& lock) noexcept {
  if (!aborted_.valid()) return;
  const std::shared_future<void> aborted = aborted_;
  const Deadline deadline = *abort_deadline_;
  lock.unlock();
  aborted.wait_until(deadline.time());
  lock.lock();
}

void NcclHandle::abort(const Failure& why) noexcept {
  if (!owner_.is_current()) return;  // the communicator is the parent's
  Lock lock(mutex_);
  end(why);
  wait_for_abort(lock);
}

void NcclHandle::try_to_fail(const Failure& why) noexcept {
  const Lock lock(mutex_, std::try_to_lock);
  if (lock) end(why);
}

}  // namespace leat::detail
