// Host work in the order of a CUDA stream, and the handling of its exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "leat/transfer/cuda/check.h"
#include "leat/transfer/cuda/failure_log.h"

namespace leat::detail::cuda {

// Runs functions in the order of streams, and propagates their exceptions, because CUDA cannot. Each stream that runs
// host work, or that waits for a stream that does, has a log of it. Recording and waiting for events costs no host
// function: an event carries a mark in its stream's log, and a wait is an entry in the log of the stream that waits.
//
// Threads: any thread may call any member.
// Invariants:
//  1. A stream without a log has run no host work or work that a library may fail at, nor waited for such work.
//  2. After a failure, the stream's host work is skipped. Its kernels and copies still run, because CUDA cannot skip
//     them.
//  3. Streams are identified by cudaStreamGetId. An id is never reused, so a new stream inherits no failure.
//  4. The functions are destroyed on a thread of this class's, where they may use CUDA, which CUDA forbids on the
//     thread that runs them.
//
// The members throw DeviceError, which names the device, if a call of CUDA fails. The stream's device must be current.
class HostWork {
 public:
  struct Task;

  // `device` is the device's name, which outlives this object.
  explicit HostWork(const std::string& device) noexcept : device_(device) {}

  // If the stream is being captured, the graph keeps `work`, which runs at each launch. What it throws then fails the
  // stream that was captured; events that are recorded behind a launch do not tell of it.
  void enqueue(cudaStream_t stream, std::function<void()> work);

  // Returns what an event carries that is recorded now on `stream`.
  FailureMark mark(cudaStream_t stream) const;
  // Notes that `stream` waits for an event that carries `mark`.
  void add_wait(cudaStream_t stream, const FailureMark& mark);

  // Returns the stream's log, for waits that are not for events of GPUs, and for the work of libraries. Makes one if
  // there is none.
  std::shared_ptr<FailureLog> log(cudaStream_t stream) { return find_or_make(stream); }

  // Returns the failure of a synchronized stream; null if there is none.
  std::exception_ptr failure(cudaStream_t stream) const;
  void forget(cudaStream_t stream) noexcept;

 private:
  void check(cudaError_t status, std::string_view call) const { cuda::check(status, device_, call); }
  void give_to(cudaGraph_t graph, std::unique_ptr<Task> task) const;
  std::shared_ptr<FailureLog> find(cudaStream_t stream) const;
  std::shared_ptr<FailureLog> find_or_make(cudaStream_t stream);

  const std::string& device_;
  mutable std::mutex mutex_;
  // The logs are shared with the queued host functions and with the marks of events.
  std::unordered_map<unsigned long long, std::shared_ptr<FailureLog>> logs_;  // guarded by mutex_
};

}  // namespace leat::detail::cuda
