// NCCL on the fake CUDA devices: what a test may ask of it.
//
// It is a library libnccl.so.2, which implements the functions of include/nccl.h for ranks that are threads of one
// process, each on a fake GPU of its own. A collective is work of each rank's stream:
//
//  - A rank's part first arrives, then waits until the parts of all ranks have arrived, and then writes the result.
//  - What happened before the collective on the streams whose data a rank receives, happens before what follows on this
//    rank's stream. So a broadcast orders nothing behind the other ranks for its root.
//  - The collectives of a communicator run one after the other, whatever their streams.
//  - An abort lets the streams of its rank go on at once, with undefined results. Those of the other ranks wait until
//    they abort, too. What a rank's abort returns, or whether it returns, makes no difference to that.
//  - Sums are rounded at each step, in an order that differs from element to element, and averages divide before they
//    sum. All ranks get the same bits.
//
// Reports, besides what the fake CUDA runtime reports: memory and streams that are not the communicator's device's,
// ranks that call different collectives, and the use of communicators that are gone.
#pragma once

#include <nccl.h>

#include <atomic>
#include <string>

namespace leat::cuda_fake {

// What the fake does next, and what it has counted; for the whole process. A test calls reset() first.
struct FakeNccl {
  std::atomic<int> polls_in_progress = 0;  // how often each call's state is still "in progress"
  std::atomic<bool> hang = false;          // it stays so
  std::atomic<int> dead_rank = -1;         // its parts of collectives never arrive
  std::atomic<ncclResult_t> init_result = ncclSuccess;
  std::atomic<ncclResult_t> call_result = ncclSuccess;   // what the collectives return
  std::atomic<ncclResult_t> async_result = ncclSuccess;  // what ncclCommGetAsyncError finds
  std::atomic<bool> peers_notice_aborts = false;         // they find ncclRemoteError then
  // The other ranks are those of processes of which this fake knows nothing: a communicator is connected as soon as
  // this process's rank has joined, and collectives wait until they are aborted.
  std::atomic<bool> has_other_processes = false;

  // From now on, a function fails with `result` where a rank calls it. ncclInProgress: it hangs. Then the state of the
  // communicator stays "in progress", and a collective is not enqueued; ncclCommAbort frees the communicator, and
  // returns after the next reset().
  void fail_at(const std::string& function, int rank, ncclResult_t result);

  std::atomic<int> created = 0;  // communicators, counted
  std::atomic<int> finalized = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> aborted = 0;
  std::atomic<int> calls_while_busy = 0;  // calls made while the one before was in progress: must stay 0

  void reset();  // also ends hangs
};

FakeNccl& fake_nccl();

}  // namespace leat::cuda_fake
