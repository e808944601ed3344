// An ncclComm_t and the rules of its use.
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

// The owner of a non-blocking communicator. Threads: any may call any member; calls into NCCL are one at a
// time. Invariants:
//  1. NCCL is entered with mutex_ held and the communicator's device current, and never waits inside, because
//  the
//     communicator is non-blocking; so abort() is never kept out for long.
//  2. After a call that NCCL is still working on (ncclInProgress) no other call is made until it has settled.
//  3. handle_ is null from abort() on, and failure_ then says why; the first reason stays.
class NcclHandle {
 public:
  // Starts joining the communicator and waits until NCCL has connected all ranks. `given_up` is asked now and
  // then during waits and returns a reason to stop waiting, or nothing. Throws CommunicationError.
  NcclHandle(const NcclApi& api, int device, int ranks, const ncclUniqueId& id, int rank,
             std::chrono::milliseconds timeout, std::function<std::string()> given_up);
  ~NcclHandle();  // in good order where NCCL can, else by an abort
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;

  using Call = std::function<ncclResult_t(ncclComm_t)>;

  // Makes one call and waits until NCCL has taken it. An error aborts the communicator and throws
  // CommunicationError.
  void call(const char* name, const Call& function);

  // Waits until `done` returns true; asks for asynchronous errors meanwhile. Errors as for call().
  void wait_until(const char* name, const std::function<bool()>& done);

  void abort(std::string_view why) noexcept;

 private:
  struct Poll;  // the state of one wait: its deadline, and when to ask given_up_ next

  // All of these: mutex_ is held; by `lock`, where that is passed, which is released while waiting.
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
