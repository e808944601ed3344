// An owned ncclComm_t, which enforces the rules for its use.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/failure.h"
#include "leat/parallel/nccl/nccl_api.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

// Owns a non-blocking communicator. Threads: any thread may call any member; calls into NCCL are made one at a time.
// Invariants:
//  1. NCCL is called with mutex_ held and the communicator's device current. It never waits inside a call, because
//     the communicator is non-blocking. So abort() never has to wait long. Only ncclCommAbort may wait, so it runs on a
//     thread of its own, which nobody waits for longer than kAbortPatience.
//  2. After a call that NCCL is still working on (ncclInProgress), no other call is made until it has settled.
//  3. handle_ is null from abort() on, and failure_ then gives the reason. The first reason stays.
class NcclHandle {
 public:
  // After an error that a lost rank may have caused, news that name the rank are waited for so long.
  static constexpr std::chrono::milliseconds kCulpritPatience{1000};
  static constexpr std::chrono::milliseconds kAbortPatience{5'000};

  // What the handle asks and tells its owner. All but `before_abort` are called without locks.
  struct Hooks {
    // Returns a reason to stop waiting, if there is one. Called repeatedly during waits. Does not throw.
    std::function<std::optional<Failure>()> news;
    // Returns why NCCL did not accept a call in time, whose message is `text` unless more is known. Does not throw.
    std::function<Failure(std::string text)> explain_timeout;
    // Is told the failure before the communicator's streams may go on. Does not throw.
    std::function<void(const std::exception_ptr&)> before_abort;
    // Is told why the destructor had to abort the communicator. Does not throw.
    std::function<void(const Failure&)> ended_by_abort;
  };

  // An error of NCCL's own threads.
  struct AsynchronousFailure {
    Failure failure;
    bool may_be_of_peer = false;  // a lost rank can cause it
  };

  // Starts joining the communicator and waits until NCCL has connected all ranks. Throws CommunicationError.
  NcclHandle(const NcclApi& api, int device, int ranks, const ncclUniqueId& id, int rank,
             std::chrono::milliseconds timeout, Hooks hooks);
  ~NcclHandle();  // in an orderly way if possible, else by an abort
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;

  using Call = std::function<ncclResult_t(ncclComm_t)>;

  // Makes one call and waits until NCCL has accepted it. An error aborts the communicator and throws
  // CommunicationError, or the type derived from it that names the cause.
  void call(const char* name, const Call& function);

  // Waits until `done` returns true, and checks for asynchronous errors meanwhile. Errors as for call(). The time of
  // what is waited for is limited by the watchdog, which fails the handle; `limit` is for the case that it hangs, too.
  void wait_until(const char* name, const std::function<bool()>& done, std::chrono::milliseconds limit);

  void abort(const Failure& why) noexcept;
  void throw_if_failed();

  // For the watchdog, which must not wait for a thread that hangs in NCCL. has_failed() takes no lock.
  bool has_failed() const noexcept { return has_failed_; }
  // Returns nullopt, too, if another thread uses NCCL at the moment.
  std::optional<AsynchronousFailure> asynchronous_failure();
  // Aborts the communicator, but does not wait for the abort. Does nothing if another thread uses NCCL at the moment.
  void try_to_fail(const Failure& why) noexcept;

 private:
  struct Poll;  // the state of one wait: its deadline, and when to ask for news next

  // The caller of these holds mutex_. If `lock` is passed, it holds mutex_, and is released while waiting.
  using Lock = std::unique_lock<std::mutex>;
  void settle(Lock& lock, const char* name, ncclResult_t result);
  void pause(Lock& lock, const char* name, Poll& poll);
  [[noreturn]] void fail(Lock& lock, const char* name, ncclResult_t result);
  [[noreturn]] void fail(Lock& lock, Failure why);
  [[noreturn]] void throw_failure(Lock& lock);
  ncclResult_t asynchronous_error();
  Failure describe_error(const char* name, ncclResult_t result);
  void require_open(Lock& lock);
  void end(Failure why);
  void start_abort();
  void wait_for_abort(Lock& lock) noexcept;

  // Constant after construction.
  const ProcessIdentity owner_;
  const NcclApi& api_;
  const int device_;
  const std::chrono::milliseconds timeout_;
  const Hooks hooks_;

  std::atomic<bool> has_failed_{false};  // whether failure_ is set

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable ended_;  // failure_ was set
  ncclComm_t handle_ = nullptr;
  std::optional<Failure> failure_;
  std::shared_future<void> aborted_;  // ready when ncclCommAbort has returned; not valid before the abort
  std::optional<Deadline> abort_deadline_;
};

}  // namespace leat::detail
