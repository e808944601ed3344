// NCCL's functions.
#include <nccl.h>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/cuda_fake/nccl/communicator.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/cuda_fake/nccl/reduction.h"
#include "tests/cuda_fake/runtime.h"

using namespace leat::cuda_fake;

namespace {

struct CurrentDevice {
  explicit CurrentDevice(int device) : before(std::exchange(this_thread().device, device)) {}
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { this_thread().device = before; }
  const int before;
};

// Calls `body(lock)` if the CUDA runtime may be called.
template <class Body>
ncclResult_t nccl_call(const char* name, Kind kind, Body body) {
  ncclResult_t result = ncclUnhandledCudaError;
  call(name, kind, [&](Machine::Lock& lock) {
    result = body(lock);
    return cudaSuccess;
  });
  return result;
}

ncclResult_t check_memory(const char* function, ncclComm_t communicator, const void* memory,
                          std::size_t bytes) {
  const auto* const allocation = Runtime::get().find(memory);
  const auto refused = [&](const std::string& what) {
    return refuse(communicator, ncclInvalidArgument,
                  fmt::format("{}: {} bytes at {} {}", function, bytes, fmt::ptr(memory), what));
  };
  if (allocation == nullptr) return refused("are not device memory");
  if (allocation->second.device != communicator->device) {
    return refused(fmt::format("are memory of device {}, and the communicator is one of device {}",
                               allocation->second.device, communicator->device));
  }
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(memory) - allocation->first);
  if (offset + bytes > allocation->second.bytes) return refused("are more than were allocated");
  return ncclSuccess;
}

ncclResult_t check_stream(const char* function, ncclComm_t communicator,
                          const std::shared_ptr<Queue>& queue) {
  if (queue == nullptr || check_usable(*queue) != cudaSuccess)
    return refuse(communicator, ncclUnhandledCudaError,
                  fmt::format("{}: the stream is not usable", function));
  if (queue->device != communicator->device) {
    return refuse(communicator, ncclUnhandledCudaError,
                  fmt::format("{}: the stream is one of device {}, and the communicator is one of device {}",
                              function, queue->device, communicator->device));
  }
  if (queue->capture == nullptr) return ncclSuccess;
  return refuse(communicator, ncclInvalidUsage,
                fmt::format("{}: the fake captures no collectives", function));
}

// Enqueues this rank's part of what `next(rank)` returns; it sets the rank's place there.
using Next = std::function<Collective&(std::size_t& rank)>;

ncclResult_t enqueue(Machine::Lock& lock, const char* function, const CollectiveCall& call, Buffers buffers,
                     ncclComm_t communicator, cudaStream_t stream, const Next& next) {
  ncclResult_t result = check_ready(function, communicator);
  if (result != ncclSuccess) return result;
  result = apply_fault(function, communicator);
  if (result != ncclSuccess) return result;
  if (fake_nccl().call_result != ncclSuccess)
    return fail(communicator, fake_nccl().call_result, "a test wants it so");
  if (call.root >= communicator->clique->members.size() || !is_reducible(call.type, call.op))
    return fail(communicator, ncclInvalidArgument, "invalid root, type or operation");
  if (call.count == 0) return begin(lock, *communicator, Operation::collective);
  const CurrentDevice current(communicator->device);
  const std::shared_ptr<Queue> queue = queue_of(stream);
  result = check_stream(function, communicator, queue);
  if (result == ncclSuccess && buffers.from_bytes > 0)
    result = check_memory(function, communicator, buffers.from, buffers.from_bytes);
  if (result == ncclSuccess && buffers.to_bytes > 0)
    result = check_memory(function, communicator, buffers.to, buffers.to_bytes);
  if (result != ncclSuccess) return result;
  if (buffers.from_bytes > 0) buffers.from_alias = Runtime::get().alias_of(buffers.from);
  if (buffers.to_bytes > 0) buffers.to_alias = Runtime::get().alias_of(buffers.to);
  std::size_t rank = communicator->rank;
  Collective& collective = next(rank);
  communicator->last = collective.enqueue(lock, *queue, rank, buffers, communicator->last);
  return begin(lock, *communicator, Operation::collective);
}

ncclResult_t collective(const char* function, const CollectiveCall& call, const void* from, void* to,
                        ncclComm_t communicator, cudaStream_t stream) {
  return nccl_call(function, Kind::plain, [&](Machine::Lock& lock) {
    if (!exists(function, communicator)) return ncclInvalidArgument;
    const std::size_t bytes = call.count * size_of(call.type);
    const std::size_t ranks = communicator->clique->members.size();
    const bool is_sent = call.kind != CollectiveKind::broadcast || communicator->rank == call.root;
    const Buffers buffers{.from = static_cast<const std::byte*>(from),
                          .to = static_cast<std::byte*>(to),
                          .from_bytes = call.kind == CollectiveKind::reduce_scatter ? bytes * ranks
                                        : is_sent                                   ? bytes
                                                                                    : 0,
                          .to_bytes = call.kind == CollectiveKind::all_gather ? bytes * ranks : bytes};
    return enqueue(lock, function, call, buffers, communicator, stream,
                   [&](std::size_t&) -> Collective& { return next_collective(*communicator, call); });
  });
}

ncclResult_t transfer(const char* function, std::size_t count, ncclDataType_t type, Buffers buffers, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return nccl_call(function, Kind::plain, [&](Machine::Lock& lock) {
    if (!exists(function, communicator)) return ncclInvalidArgument;
    const auto other = static_cast<std::size_t>(peer);  // one that is negative is too large
    if (other >= communicator->clique->members.size() || other == communicator->rank)
      return fail(communicator, ncclInvalidArgument, "invalid peer");
    const CollectiveCall call{.kind = CollectiveKind::transfer, .count = count, .type = type};
    const bool sends = buffers.to == nullptr;
    (sends ? buffers.from_bytes : buffers.to_bytes) = count * size_of(type);
    return enqueue(lock, function, call, buffers, communicator, stream,
                   [&](std::size_t& rank) -> Collective& {
                     rank = sends ? 0 : 1;
                     return next_transfer(*communicator, call, other, sends);
                   });
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const Machine::Lock lock(Machine::get().mutex);
  std::memset(id, 0, sizeof *id);
  const std::string text = fmt::format("fake-{}", ++Library::get().ids);
  std::memcpy(id->internal, text.data(), text.size());
  return ncclSuccess;
}

// Only non-blocking communicators, which is all that leat makes.
ncclResult_t ncclCommInitRankConfig(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  *handle = nullptr;
  return nccl_call("ncclCommInitRankConfig", Kind::plain, [&](Machine::Lock& lock) -> ncclResult_t {
    Library::get().last_error = "a test wants it so";
    if (fake_nccl().init_result != ncclSuccess) return fake_nccl().init_result;
    const ncclResult_t fault = fault_of("ncclCommInitRankConfig", static_cast<std::size_t>(rank));
    if (fault != ncclSuccess && fault != ncclInProgress) return fault;
    Library::get().last_error = "invalid rank, number of ranks or configuration";
    if (config == nullptr || config->blocking != 0 || ranks < 1 || rank < 0 || rank >= ranks)
      return ncclInvalidArgument;
    auto communicator = std::make_unique<ncclComm>(
        ncclComm{.clique = nullptr, .rank = static_cast<std::size_t>(rank), .device = current_device()});
    communicator->hangs = fault == ncclInProgress;
    const ncclResult_t joined = join(std::string(id.internal, sizeof id.internal),
                                     static_cast<std::size_t>(ranks), communicator.get());
    if (joined != ncclSuccess) return joined;
    ++fake_nccl().created;
    *handle = communicator.release();
    Library::get().communicators.insert(*handle);
    return begin(lock, **handle, Operation::joining);
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
  Machine::Lock lock(Machine::get().mutex);
  if (!exists("ncclCommGetAsyncError", communicator)) return ncclInvalidArgument;
  if (fake_nccl().async_result != ncclSuccess)
    fail(communicator, fake_nccl().async_result, "a test wants it so");
  if (const ncclResult_t fault = fault_of("ncclCommGetAsyncError", communicator->rank); fault != ncclSuccess)
    fail(communicator, fault, "a test wants it so");
  *state = poll(lock, *communicator);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  return nccl_call("ncclCommFinalize", Kind::ending, [&](Machine::Lock& lock) -> ncclResult_t {
    const ncclResult_t ready = check_ready("ncclCommFinalize", communicator);
    if (ready != ncclSuccess) return ready;
    const ncclResult_t fault = apply_fault("ncclCommFinalize", communicator);
    if (fault != ncclSuccess) return fault;
    ++fake_nccl().finalized;
    return begin(lock, *communicator, Operation::finalizing);
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return nccl_call("ncclCommDestroy", Kind::ending, [&](Machine::Lock&) -> ncclResult_t {
    const ncclResult_t ready = check_ready("ncclCommDestroy", communicator);
    if (ready != ncclSuccess) return ready;
    if (communicator->last != nullptr && !communicator->last->is_done)
      Machine::get().report("ncclCommDestroy: a collective has not ended");
    ++fake_nccl().destroyed;
    leave(communicator);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return nccl_call("ncclCommAbort", Kind::ending, [&](Machine::Lock& lock) -> ncclResult_t {
    if (!exists("ncclCommAbort", communicator)) return ncclInvalidArgument;
    const std::size_t rank = communicator->rank;
    ++fake_nccl().aborted;
    abort_all(*communicator);
    for (const ncclComm_t peer : communicator->clique->members) {
      const bool notices = peer != nullptr && peer != communicator && fake_nccl().peers_notice_aborts;
      if (notices && peer->failure == ncclSuccess) fail(peer, ncclRemoteError, "a peer is gone");
    }
    leave(communicator);
    const auto hangs = [rank] { return fault_of("ncclCommAbort", rank) == ncclInProgress; };
    Library::get().faults_gone.wait(lock, [&] { return !hangs(); });
    return fault_of("ncclCommAbort", rank);
  });
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t communicator, cudaStream_t stream) {
  return collective("ncclAllReduce",
                    {.kind = CollectiveKind::all_reduce, .count = count, .type = type, .op = op}, from, to,
                    communicator, stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t to_count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  return collective("ncclReduceScatter",
                    {.kind = CollectiveKind::reduce_scatter, .count = to_count, .type = type, .op = op}, from,
                    to, communicator, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  return collective("ncclBroadcast",
                    {.kind = CollectiveKind::broadcast,
                     .count = count,
                     .type = type,
                     .root = static_cast<std::size_t>(root)},  // one that is negative is too large
                    from, to, communicator, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  return collective("ncclAllGather", {.kind = CollectiveKind::all_gather, .count = count, .type = type}, from,
                    to, communicator, stream);
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return transfer("ncclSend", count, type, {.from = static_cast<const std::byte*>(from)}, peer, communicator,
                  stream);
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return transfer("ncclRecv", count, type, {.to = static_cast<std::byte*>(to)}, peer, communicator, stream);
}

const char* ncclGetErrorString(ncclResult_t result) {
  static const std::map<ncclResult_t, const char*> texts{
      {ncclSuccess, "no error"},
      {ncclUnhandledCudaError, "unhandled cuda error (run with NCCL_DEBUG=INFO for details)"},
      {ncclInvalidArgument, "invalid argument (run with NCCL_DEBUG=WARN for details)"},
      {ncclInvalidUsage, "invalid usage (run with NCCL_DEBUG=WARN for details)"},
      {ncclRemoteError, "remote process exited or there was a network error"},
      {ncclInProgress, "NCCL operation in progress"}};
  const auto found = texts.find(result);
  return found == texts.end() ? "an error of the fake NCCL" : found->second;
}

const char* ncclGetLastError(ncclComm_t communicator) {
  thread_local std::string text;
  const Machine::Lock lock(Machine::get().mutex);
  text = Library::get().communicators.contains(communicator) ? communicator->last_error
                                                             : Library::get().last_error;
  return text.c_str();
}

}  // extern "C"

namespace leat::cuda_fake {

void FakeNccl::fail_at(const std::string& function, int rank, ncclResult_t result) {
  const Machine::Lock lock(Machine::get().mutex);
  Library::get().faults[{function, static_cast<std::size_t>(rank)}] = result;
}

void FakeNccl::reset() {
  {
    const Machine::Lock lock(Machine::get().mutex);
    Library::get().faults.clear();
    Library::get().faults_gone.notify_all();
  }
  polls_in_progress = 0;
  hang = false;
  dead_rank = -1;
  init_result = call_result = async_result = ncclSuccess;
  peers_notice_aborts = has_other_processes = false;
  created = finalized = destroyed = aborted = calls_while_busy = 0;
}

FakeNccl& fake_nccl() {
  static FakeNccl fake;
  return fake;
}

}  // namespace leat::cuda_fake
