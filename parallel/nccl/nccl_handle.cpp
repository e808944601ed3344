#include "leat/parallel/nccl/nccl_handle.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "leat/parallel/communicator.h"
#include "leat/parallel/host/call_checks.h"

namespace leat::detail {
namespace {

// NCCL does not notify when it is done, so its state must be polled.
constexpr auto kPollInterval = std::chrono::milliseconds(1);
constexpr auto kQuestionInterval = std::chrono::milliseconds(100);

ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

}  // namespace

struct NcclHandle::Poll {
  explicit Poll(std::chrono::milliseconds timeout) : deadline(timeout), next_question(kQuestionInterval) {}
  Deadline deadline;
  Deadline next_question;
};

NcclHandle::NcclHandle(const NcclApi& api, int device, int ranks, const ncclUniqueId& id, int rank,
                       std::chrono::milliseconds timeout, std::function<std::string()> given_up)
    : api_(api), device_(device), timeout_(timeout), given_up_(std::move(given_up)) {
  std::unique_lock lock(mutex_);
  const auto current = api_.make_current(device_);
  ncclConfig_t config = non_blocking();
  const ncclResult_t result = api_.comm_init_rank_config(&handle_, ranks, id, rank, &config);
  // Success only means that NCCL has begun. The communicator's own state tells the result.
  settle(lock, "ncclCommInitRankConfig", result == ncclSuccess ? ncclInProgress : result);
}

NcclHandle::~NcclHandle() {
  if (!owner_.is_current()) return;  // the communicator is the parent's
  std::unique_lock lock(mutex_);
  if (handle_ == nullptr) return;
  try {
    const auto current = api_.make_current(device_);
    settle(lock, "ncclCommFinalize", api_.comm_finalize(handle_));
    api_.comm_destroy(std::exchange(handle_, nullptr));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // settle() has aborted the communicator, so it is freed, though not in an orderly way. A destructor cannot report
    // that.
  }
}

void NcclHandle::call(const char* name, const Call& function) {
  check_process(owner_, "this communicator");
  std::unique_lock lock(mutex_);
  require_open();
  const auto current = api_.make_current(device_);
  settle(lock, name, function(handle_));
}

void NcclHandle::wait_until(const char* name, const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  require_open();
  Poll poll(timeout_);
  while (true) {
    const ncclResult_t state = asynchronous_error();
    if (state != ncclSuccess && state != ncclInProgress) fail(name, state);
    if (done()) return;
    pause(lock, name, poll);
  }
}

void NcclHandle::settle(std::unique_lock<std::mutex>& lock, const char* name, ncclResult_t result) {
  Poll poll(timeout_);
  while (result == ncclInProgress) {
    pause(lock, name, poll);
    result = asynchronous_error();
  }
  if (result != ncclSuccess) fail(name, result);
}

void NcclHandle::pause(std::unique_lock<std::mutex>& lock, const char* name, Poll& poll) {
  ended_.wait_for(lock, kPollInterval, [this] { return !failure_.empty(); });
  require_open();
  if (poll.deadline.passed()) {
    fail(fmt::format("{} did not end within {} ms: a rank is missing or stuck", name, timeout_.count()));
  }
  if (!poll.next_question.passed()) return;
  poll.next_question = Deadline(kQuestionInterval);
  lock.unlock();  // the question may take a while, and must not block abort()
  std::string reason = given_up_();
  lock.lock();
  require_open();
  if (!reason.empty()) fail(std::move(reason));
}

ncclResult_t NcclHandle::asynchronous_error() {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t result = api_.comm_get_async_error(handle_, &state);
  return result == ncclSuccess ? state : result;
}

void NcclHandle::fail(const char* name, ncclResult_t result) {
  const char* detail = api_.get_last_error(handle_);
  fail(fmt::format("{}: {} ({})", name, api_.get_error_string(result),
                   detail == nullptr ? "no detail" : detail));
}

void NcclHandle::fail(std::string why) {
  end(std::move(why));
  throw CommunicationError(failure_);
}

void NcclHandle::require_open() const {
  if (!failure_.empty()) throw CommunicationError(failure_);
}

void NcclHandle::end(std::string why) {
  if (!failure_.empty()) return;
  failure_ = std::move(why);
  ended_.notify_all();
  if (handle_ == nullptr) return;
  const auto current = api_.make_current(device_);
  api_.comm_abort(std::exchange(handle_, nullptr));  // frees the communicator, whatever it returns
}

void NcclHandle::abort(std::string_view why) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    end(why.empty() ? "the communicator was aborted" : std::string(why));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The device cannot be made current, so nothing runs on it either.
  }
}

}  // namespace leat::detail
