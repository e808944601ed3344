// Work on the host in the order of a CUDA stream, and what becomes of its exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace leat::detail::cuda {

// A failure's place: set once, then constant. Thread-safe.
class FailureSlot {
 public:
  void set(std::exception_ptr failure) noexcept;  // ignored where one is there already
  std::exception_ptr get() const noexcept;
  void rethrow() const;  // if there is one

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;  // guarded by mutex_
};

// CUDA knows nothing of exceptions, so they travel beside it: each stream that ever ran host work has a slot;
// an event recorded on such a stream takes along what the slot holds when the stream gets there; a stream
// that waits for the event takes it over. Streams without host work pay one look into an empty map.
//
// Threads: any.
// Invariants:
//  1. A slot exists from the stream's first host work (or first wait for an event that carries a slot) until
//     forget().
//  2. After a failure the stream's host work is skipped. Its kernels and copies are not: CUDA cannot be told
//     to.
//  3. Streams are known by cudaStreamGetId, which is never used twice, so a new stream inherits no failure.
//
// The members return CUDA's status; the stream's device is current.
class HostWork {
 public:
  cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

  // What an event recorded now on `stream` carries, filled in when the stream gets there; null without host
  // work.
  cudaError_t carry(cudaStream_t stream, std::shared_ptr<FailureSlot>& carried);
  // `stream` takes over what `carried` holds when the stream gets there; the stream waits for that event
  // already.
  cudaError_t take_over(cudaStream_t stream, std::shared_ptr<FailureSlot> carried);

  void rethrow(cudaStream_t stream) const;  // the failure of a stream that has been synchronized, if any
  void forget(cudaStream_t stream) noexcept;

 private:
  // Shared with the host functions that are queued.
  std::shared_ptr<FailureSlot> find(cudaStream_t stream) const;
  std::shared_ptr<FailureSlot> find_or_make(cudaStream_t stream);

  mutable std::mutex mutex_;
  std::unordered_map<unsigned long long, std::shared_ptr<FailureSlot>> slots_;  // guarded by mutex_
};

}  // namespace leat::detail::cuda
