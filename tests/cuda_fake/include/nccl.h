// The part of NCCL that leat uses, under NCCL's names. tests/cuda_fake/nccl/ implements it.
#pragma once

#include <climits>
#include <cstddef>

#include <cuda_runtime_api.h>

struct ncclComm;
using ncclComm_t = ncclComm*;
struct ncclUniqueId {
  char internal[128];
};

enum ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
};
enum ncclRedOp_t { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };
enum ncclDataType_t {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9
};

struct ncclConfig_t {
  int blocking;
};
#define NCCL_CONFIG_INITIALIZER \
  { INT_MIN }

extern "C" {
ncclResult_t ncclGetVersion(int* version);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config);
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state);
ncclResult_t ncclCommFinalize(ncclComm_t communicator);
ncclResult_t ncclCommDestroy(ncclComm_t communicator);
ncclResult_t ncclCommAbort(ncclComm_t communicator);
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t to_count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream);
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t communicator);
}
