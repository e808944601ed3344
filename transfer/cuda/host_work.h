// Host work in the order of a CUDA stream, and the handling of its exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace leat::detail::cuda {

// Holds a failure. It is set once and then stays constant. Thread-safe.
class FailureSlot {
 public:
  void set(std::exception_ptr failure) noexcept;  // ignored if a failure is already set
  std::exception_ptr get() const noexcept;
  void rethrow() const;  // throws the failure, if one is set

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;  // guarded by mutex_
};

// Propagates the exceptions of host work, because CUDA cannot. Each stream that has ever run host work has a slot for
// its failure. An event recorded on such a stream carries the slot's failure as of that point in the stream. A stream
// that waits for the event takes the failure over. As long as no stream has run host work, the only cost is a look-up
// in an empty map.
//
// Threads: any thread may call any member.
// Invariants:
//  1. A slot exists from the stream's first host work (or first wait for an event that carries a slot) until
//     forget().
//  2. After a failure, the stream's host work is skipped. Its kernels and copies still run, because CUDA cannot skip
//     them.
//  3. Streams are identified by cudaStreamGetId. An id is never reused, so a new stream inherits no failure.
//
// The members return CUDA's status. The stream's device must be current.
class HostWork {
 public:
  cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

  // Sets `carried` to the slot that an event recorded now on `stream` carries. The slot is filled when the stream
  // gets to this point. Sets null if the stream has no host work.
  cudaError_t carry(cudaStream_t stream, std::shared_ptr<FailureSlot>& carried);
  // Makes `stream` take over the failure that `carried` holds when the stream gets to this point. The stream must
  // already wait for the event.
  cudaError_t take_over(cudaStream_t stream, std::shared_ptr<FailureSlot> carried);

  void rethrow(cudaStream_t stream) const;  // throws the failure of a synchronized stream, if any
  void forget(cudaStream_t stream) noexcept;

 private:
  // The slots are shared with the queued host functions.
  std::shared_ptr<FailureSlot> find(cudaStream_t stream) const;
  std::shared_ptr<FailureSlot> find_or_make(cudaStream_t stream);

  mutable std::mutex mutex_;
  std::unordered_map<unsigned long long, std::shared_ptr<FailureSlot>> slots_;  // guarded by mutex_
};

}  // namespace leat::detail::cuda
