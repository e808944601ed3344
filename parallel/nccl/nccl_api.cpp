#include "leat/parallel/nccl/nccl_api.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr const char* kLibrary = "libnccl.so.2";

int device_of(const void* memory) {
  cudaPointerAttributes attributes{};
  cuda::check(cudaPointerGetAttributes(&attributes, memory), "cuda", "cudaPointerGetAttributes");
  return attributes.device;
}

std::unique_ptr<cuda::DeviceGuard> make_current(int ordinal) {
  return std::make_unique<cuda::DeviceGuard>(ordinal, fmt::format("cuda:{}", ordinal));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw CommunicationError(fmt::format("{} lacks {}: it is too old", kLibrary, name));
}

NcclApi open_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw CommunicationError(
        fmt::format("NCCL cannot be opened: {}; install it or add its folder to LD_LIBRARY_PATH", dlerror()));
  }
  NcclApi api;
  find(library, "ncclGetVersion", api.get_version);
  find(library, "ncclGetUniqueId", api.get_unique_id);
  find(library, "ncclCommInitRankConfig", api.comm_init_rank_config);
  find(library, "ncclCommGetAsyncError", api.comm_get_async_error);
  find(library, "ncclCommFinalize", api.comm_finalize);
  find(library, "ncclCommDestroy", api.comm_destroy);
  find(library, "ncclCommAbort", api.comm_abort);
  find(library, "ncclAllReduce", api.all_reduce);
  find(library, "ncclReduceScatter", api.reduce_scatter);
  find(library, "ncclBroadcast", api.broadcast);
  find(library, "ncclAllGather", api.all_gather);
  find(library, "ncclSend", api.send);
  find(library, "ncclRecv", api.recv);
  find(library, "ncclGetErrorString", api.get_error_string);
  find(library, "ncclGetLastError", api.get_last_error);
  api.device_of = &device_of;
  api.make_current = &make_current;
  return api;
}

}  // namespace

const NcclApi& nccl_library() {
  static const NcclApi api = open_library();
  return api;
}

}  // namespace leat::detail
