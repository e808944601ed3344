// What the functions of the runtime share: the state behind handles, and the checks at the start of each call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_fake/machine.h"

struct CUgraph_st;

namespace leat::cuda_fake {

struct GraphNode {
  Work work;
  std::vector<std::size_t> after;  // nodes of the same graph
};

// Work of one or more streams that becomes a graph.
struct Capture {
  std::unique_ptr<CUgraph_st> graph;
  Queue* origin = nullptr;
  std::vector<std::shared_ptr<Queue>> joined{};  // streams, the origin's included
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::uint64_t thread = 0;  // its number
  bool is_invalid = false;
};

}  // namespace leat::cuda_fake

struct CUstream_st {
  std::shared_ptr<leat::cuda_fake::Queue> queue;
};
struct CUevent_st {
  int device = 0;
  bool has_timing = true;
  bool is_slept_for = false;                            // by host threads that wait for it
  leat::cuda_fake::NodePtr last{};                      // the newest record; null: never recorded
  std::shared_ptr<leat::cuda_fake::Capture> capture{};  // not null: last recorded in a capture
  std::vector<std::size_t> capture_tail{};
};
struct CUuserObject_st {
  void* value = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned references = 0;
};
struct CUgraph_st {
  std::vector<leat::cuda_fake::GraphNode> nodes{};
  std::vector<cudaUserObject_t> objects{};  // a reference to each
};
struct CUgraphExec_st {
  std::vector<leat::cuda_fake::GraphNode> nodes;
  std::vector<cudaUserObject_t> objects;  // a reference to each
  leat::cuda_fake::NodePtr last{};        // end of the newest launch
};

namespace leat::cuda_fake {

constexpr std::size_t kDeviceBytes = std::size_t{4} << 30;  // of each device's memory

// All state behind handles, guarded by Machine::mutex.
struct Runtime {
  static Runtime& get();

  struct Allocation {
    std::size_t bytes = 0;
    int device = 0;
    std::byte* alias = nullptr;  // where the fake itself reads and writes it
    std::size_t mapped = 0;
  };
  struct Registration {
    std::size_t bytes = 0;
    int device = 0;
    bool is_portable = false;   // also for other devices
    bool is_allocated = false;  // by cudaHostAlloc()
    bool is_mapped = false;     // into the devices' addresses
  };

  std::set<cudaStream_t> streams;
  std::set<cudaEvent_t> events;
  std::set<cudaGraph_t> graphs;
  std::set<cudaGraphExec_t> execs;
  std::map<const std::byte*, Allocation> allocations;      // by the address on the device
  std::map<const std::byte*, Registration> registrations;  // by the address on the host
  std::map<int, std::size_t> used;                         // bytes, by device
  std::set<std::pair<int, int>> peers;                     // device, and the one whose memory it may use
  std::map<int, std::shared_ptr<Queue>> legacy;            // by device
  std::map<std::pair<std::uint64_t, int>, std::shared_ptr<Queue>> per_thread;  // by thread and device
  std::vector<std::shared_ptr<Capture>> captures;                              // under way

  Counts counts;
  std::size_t calls_to_failure = 0;  // 0: none is to fail
  std::string failing_function;      // empty: any
  cudaError_t failure = cudaSuccess;
  std::string failed_call;
  cudaError_t lost = cudaSuccess;
  bool forbids_peers = false;
  bool lacks_driver_functions = false;
  std::string pci_address;  // of every device; empty: made up

  const std::pair<const std::byte* const, Allocation>* find(const void* address) const;
  // Returns where the fake itself uses memory of a device; null if the address is not a device's.
  std::byte* alias_of(const void* address) const;
  bool is_registered(const void* address, std::size_t bytes, int device) const;
  // Returns a function for work that is about to be enqueued on the queue: it reports host memory that has changed
  // since. It does nothing if work that is enqueued before it may change the memory.
  static std::function<void()> watch(const Queue& queue, const std::byte* first, std::size_t bytes);
  // Enqueues work, or adds it to the graph that the queue captures.
  NodePtr enqueue(Machine::Lock& lock, Queue& queue, Work work, std::vector<NodePtr> after = {});
};

// What the runtime keeps for each thread of the host.
struct ThreadState {
  std::uint64_t number = 0;  // of no other thread
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};
ThreadState& this_thread() noexcept;

int current_device() noexcept;
// Returns the queue of a handle; null if there is no such stream.
std::shared_ptr<Queue> queue_of(cudaStream_t stream);
cudaError_t invalidate(const std::shared_ptr<Capture>& capture, cudaError_t error);
// Checks whether work may be enqueued or waited for: not if the queue's capture is invalid, nor on the legacy stream
// while a blocking stream of its device captures, which this invalidates.
cudaError_t check_usable(const Queue& queue);
// Returns the capture of a blocking stream that makes the legacy stream of this queue unusable; null if there is none.
std::shared_ptr<Capture> capture_beside(const Queue& legacy);
// Checks whether a call that may wait or allocate is allowed while streams capture.
cudaError_t check_unsafe_call();
cudaError_t set_last(cudaError_t error) noexcept;

enum class Kind {
  plain,
  unsafe,        // not allowed while other streams capture, see cudaThreadExchangeStreamCaptureMode()
  ending,        // gives something back: fail_call() does not make it fail
  unsafe_ending  // both
};
// Checks that the runtime may be called here and now.
cudaError_t begin_call(const char* name, Kind kind);
bool is_foreign_process() noexcept;

// Calls `body(lock)` if the runtime may be called; its result, unless it is success, becomes the thread's last error.
template <class Body>
cudaError_t call(const char* name, Kind kind, Body body) {
  if (is_foreign_process()) return set_last(cudaErrorInitializationError);
  Machine::Lock lock(Machine::get().mutex);
  const cudaError_t refused = begin_call(name, kind);
  return set_last(refused == cudaSuccess ? body(lock) : refused);
}

// The same for a call that uses a stream: `body(lock, queue)`, unless the stream cannot be used.
template <class Body>
cudaError_t call_on(cudaStream_t stream, const char* name, Kind kind, Body body) {
  return call(name, kind, [&](Machine::Lock& lock) {
    const auto queue = queue_of(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t unusable = check_usable(*queue);
    return unusable == cudaSuccess ? body(lock, queue) : unusable;
  });
}

}  // namespace leat::cuda_fake
