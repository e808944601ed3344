// NCCL's functions over host memory: ranks are threads, streams are host streams. Behaves as NCCL does where leat
// relies on it, and misbehaves on request.
#pragma once

#include <atomic>

#include "leat/parallel/nccl/nccl_api.h"

namespace leat::test {

using namespace leat::detail;

// What the fake does next; tests set it, for the whole process. reset() before each test.
struct FakeNccl {
  std::atomic<int> polls_in_progress = 0;  // how often each call's state is still "in progress"
  std::atomic<bool> hang = false;          // it stays so
  std::atomic<ncclResult_t> init_result = ncclSuccess;
  std::atomic<ncclResult_t> call_result = ncclSuccess;   // what the collectives return
  std::atomic<ncclResult_t> async_result = ncclSuccess;  // what comm_get_async_error finds

  std::atomic<int> created = 0;  // communicators, counted
  std::atomic<int> finalized = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> aborted = 0;
  std::atomic<int> calls_while_busy = 0;  // calls made while the one before was in progress: must stay 0

  void reset();
};

FakeNccl& fake_nccl();
const leat::detail::NcclApi& fake_nccl_api();

}  // namespace leat::test
