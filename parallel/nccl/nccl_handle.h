// An owned ncclComm_t, which enforces the rules for its use.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/nccl/nccl_api.h"
#include "leat/parallel/store/deadline.h"

namespace leat::detail {

// Owns a non-blocking communicator. Threads: any thread may call any member; calls into NCCL are made one at a time.
// Invariants:
//  1. NCCL is called with mutex_ held and the communicator's device current. It never waits inside a call, because
//     the communicator is non-blocking. So abort() never has to wait long.
//  2. After a call that NCCL is still working on (ncclInProgress), no other call is made until it has settled.
//  3. handle_ is null from abort() on, and failure_ then gives the reason. The first reason stays.
class NcclHandle {
 public:
  // Starts joining the communicator and waits until NCCL has connected all ranks. `given_up` returns a reason to stop
  // waiting, or an empty string; it is called repeatedly during waits. Throws CommunicationError.
  NcclHandle(const NcclApi& api, int device, int ranks, const ncclUniqueId& id, int rank,
             std::chrono::milliseconds timeout, std::function<std::string()> given_up);
  ~NcclHandle();  // in an orderly way if possible, else by an abort
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;

  using Call = std::function<ncclResult_t(ncclComm_t)>;

  // Makes one call and waits until NCCL has accepted it. An error aborts the communicator and throws
  // CommunicationError.
  void call(const char* name, const Call& function);

  // Waits until `done` returns true, and checks for asynchronous errors meanwhile. Errors as for call().
  void wait_until(const char* name, const std::function<bool()>& done);

  void abort(std::string_view why) noexcept;

 private:
  struct Poll;  // the state of one wait: its deadline, and when to ask given_up_ next

  // The caller of these holds mutex_. If `lock` is passed, it holds mutex_, and is released while waiting.
  void settle(std::unique_lock<std::mutex>& lock, const char* name, ncclResult_t result);
  void pause(std::unique_lock<std::mutex>& lock, const char* name, Poll& poll);
  [[noreturn]] void fail(const char* name, ncclResult_t result);
  [[noreturn]] void fail(std::string why);
  ncclResult_t asynchronous_error();
  void require_open() const;
  void end(std::string why);

  // Constant after construction.
  const ProcessIdentity owner_;
  const NcclApi& api_;
  const int device_;
  const std::chrono::milliseconds timeout_;
  const std::function<std::string()> given_up_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable ended_;  // failure_ was set
  ncclComm_t handle_ = nullptr;
  std::string failure_;
};

}  // namespace leat::detail
