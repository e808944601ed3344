#include "tests/parallel/nccl/fake_nccl.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leat/parallel/local_group.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// What stands behind an ncclComm_t.
struct FakeCommunicator {
  std::unique_ptr<Communicator> local;
  std::atomic<int> polls_left = 0;
  bool pending = false;
  bool used = false;  // something was enqueued
};

// Local communicators of ranks that aborted before they enqueued anything. NCCL tells the other ranks nothing then, so
// these must neither fail nor leave their group; they are kept until reset().
std::vector<std::unique_ptr<Communicator>>& silent() {
  static std::vector<std::unique_ptr<Communicator>> list;
  return list;
}

FakeCommunicator& of(ncclComm_t handle) {
  return *reinterpret_cast<FakeCommunicator*>(handle);
}

std::mutex groups_mutex;
std::map<std::string, std::vector<std::unique_ptr<Communicator>>>& groups() {
  static std::map<std::string, std::vector<std::unique_ptr<Communicator>>> map;
  return map;
}

ncclResult_t begin(FakeCommunicator& communicator) {
  if (communicator.pending) ++fake_nccl().calls_while_busy;
  communicator.polls_left = fake_nccl().polls_in_progress.load();
  communicator.pending = communicator.polls_left > 0 || fake_nccl().hang;
  return communicator.pending ? ncclInProgress : ncclSuccess;
}

ncclResult_t get_version(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t get_unique_id(ncclUniqueId* id) {
  static std::atomic<int> counter = 0;
  std::memset(id, 0, sizeof *id);
  const std::string text = "fake-" + std::to_string(++counter);
  std::memcpy(id->internal, text.data(), text.size());
  return ncclSuccess;
}

ncclResult_t comm_init(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (config == nullptr || config->blocking != 0) return ncclInvalidArgument;
  if (fake_nccl().init_result != ncclSuccess) return fake_nccl().init_result;
  const std::lock_guard lock(groups_mutex);
  auto& group = groups()[std::string(id.internal, sizeof id.internal)];
  if (group.empty()) group = make_local_group(ranks, host_device(), std::chrono::seconds(60));
  auto communicator = std::make_unique<FakeCommunicator>();
  communicator->local = std::move(group[static_cast<std::size_t>(rank)]);
  ++fake_nccl().created;
  const ncclResult_t result = begin(*communicator);
  *handle = reinterpret_cast<ncclComm_t>(communicator.release());
  return result;
}

ncclResult_t comm_get_async_error(ncclComm_t handle, ncclResult_t* state) {
  FakeCommunicator& communicator = of(handle);
  if (fake_nccl().async_result != ncclSuccess) {
    *state = fake_nccl().async_result;
  } else if (communicator.pending && (fake_nccl().hang || communicator.polls_left-- > 0)) {
    *state = ncclInProgress;
  } else {
    communicator.pending = false;
    *state = ncclSuccess;
  }
  return ncclSuccess;
}

ncclResult_t comm_finalize(ncclComm_t handle) {
  ++fake_nccl().finalized;
  return begin(of(handle));
}

ncclResult_t comm_destroy(ncclComm_t handle) {
  ++fake_nccl().destroyed;
  delete &of(handle);
  return ncclSuccess;
}

ncclResult_t comm_abort(ncclComm_t handle) {
  ++fake_nccl().aborted;
  if (of(handle).used) {
    of(handle).local->abort("ncclCommAbort");
  } else {
    const std::lock_guard lock(groups_mutex);
    silent().push_back(std::move(of(handle).local));
  }
  delete &of(handle);
  return ncclSuccess;
}

StreamRef stream_of(cudaStream_t stream) {
  return {host_device(), stream};
}

ncclResult_t finish_call(ncclComm_t handle) {
  if (fake_nccl().call_result != ncclSuccess) return fake_nccl().call_result;
  return begin(of(handle));
}

DType dtype_of_nccl(ncclDataType_t type) {
  static const std::map<ncclDataType_t, DType> types{{ncclUint8, DType::u8},     {ncclInt32, DType::i32},
                                                     {ncclInt64, DType::i64},    {ncclFloat16, DType::f16},
                                                     {ncclFloat32, DType::f32},  {ncclFloat64, DType::f64},
                                                     {ncclBfloat16, DType::bf16}};
  return types.at(type);
}

ncclResult_t all_reduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                        ncclComm_t handle, cudaStream_t stream) {
  const ncclResult_t result = finish_call(handle);
  if (from != to) return ncclInvalidArgument;
  if (result == ncclSuccess || result == ncclInProgress) {
    of(handle).used = true;
    of(handle).local->all_reduce({to, count, dtype_of_nccl(type)},
                                 op == ncclMax ? ReduceOp::max : ReduceOp::sum, stream_of(stream));
  }
  return result;
}

ncclResult_t broadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                       ncclComm_t handle, cudaStream_t stream) {
  if (from != to) return ncclInvalidArgument;
  of(handle).used = true;
  of(handle).local->broadcast({to, count, dtype_of_nccl(type)}, root, stream_of(stream));
  return finish_call(handle);
}

ncclResult_t all_gather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t handle,
                        cudaStream_t stream) {
  const auto ranks = static_cast<std::size_t>(of(handle).local->size());
  of(handle).used = true;
  of(handle).local->all_gather({const_cast<void*>(from), count, dtype_of_nccl(type)},
                               {to, count * ranks, dtype_of_nccl(type)}, stream_of(stream));
  return finish_call(handle);
}

const char* get_error_string(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited or there was a network error" : "invalid usage";
}

const char* get_last_error(ncclComm_t /*handle*/) {
  return "Duplicate GPU detected";
}

int device_of(const void* /*memory*/) {
  return 0;
}
std::unique_ptr<cuda::DeviceGuard> make_current(int /*ordinal*/) {
  return nullptr;
}

}  // namespace

void FakeNccl::reset() {
  polls_in_progress = 0;
  hang = false;
  silent().clear();
  groups().clear();
  init_result = call_result = async_result = ncclSuccess;
  created = finalized = destroyed = aborted = calls_while_busy = 0;
}

FakeNccl& fake_nccl() {
  static FakeNccl fake;
  return fake;
}

const NcclApi& fake_nccl_api() {
  static const NcclApi api{.get_version = &get_version,
                           .get_unique_id = &get_unique_id,
                           .comm_init_rank_config = &comm_init,
                           .comm_get_async_error = &comm_get_async_error,
                           .comm_finalize = &comm_finalize,
                           .comm_destroy = &comm_destroy,
                           .comm_abort = &comm_abort,
                           .all_reduce = &all_reduce,
                           .broadcast = &broadcast,
                           .all_gather = &all_gather,
                           .get_error_string = &get_error_string,
                           .get_last_error = &get_last_error,
                           .device_of = &device_of,
                           .make_current = &make_current};
  return api;
}

}  // namespace leat::test
