// The part of NCCL that leat uses, as a table of functions: filled from the library at run time, or by a
// test.
#pragma once

#include <nccl.h>

#include <memory>

#include "leat/transfer/cuda/check.h"

namespace leat::detail {

// Members are named and behave as in nccl.h, for which NCCL's user guide is the reference.
struct NcclApi {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) comm_init_rank_config = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclCommFinalize) comm_finalize = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;

  // Two calls of the CUDA runtime: a communicator belongs to the device that is current when it is made. The guard
  // makes it the calling thread's; it is null where there is no GPU to make current, in a test.
  int (*device_of)(const void* memory) = nullptr;  // the ordinal of the GPU that holds the memory
  std::unique_ptr<cuda::DeviceGuard> (*make_current)(int ordinal) = nullptr;
};

// libnccl.so.2, opened on first use and never closed. Throws CommunicationError where it, or a function in
// it, is missing.
const NcclApi& nccl_library();

}  // namespace leat::detail
