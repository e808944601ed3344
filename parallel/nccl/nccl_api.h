// The part of NCCL that leat uses, as a table of functions. A table is filled from the library at run time, or by a
// test.
#pragma once

#include <nccl.h>

#include <memory>

#include "leat/transfer/cuda/check.h"

namespace leat::detail {

// Members have the names and the behavior of the functions in nccl.h. The reference is NCCL's user guide.
struct NcclApi {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) comm_init_rank_config = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclCommFinalize) comm_finalize = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) recv = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;

  // Two functions on the CUDA runtime. A communicator belongs to the device that is current when it is created. The
  // guard makes a device current for the calling thread.
  int (*device_of)(const void* memory) = nullptr;  // the ordinal of the GPU that holds the memory
  std::unique_ptr<cuda::DeviceGuard> (*make_current)(int ordinal) = nullptr;
};

// Returns the functions of libnccl.so.2, which is opened on first use and never closed. Throws CommunicationError if
// the library or one of its functions is missing.
const NcclApi& nccl_library();

}  // namespace leat::detail
