// An owned CUDA event.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "leat/transfer/cuda/host_work.h"
#include "leat/transfer/device.h"

namespace leat::detail::cuda {

// A CUDA event, destroyed with its last owner. (CUDA keeps it until work that uses it is done.)
using EventHandle = std::shared_ptr<std::remove_pointer_t<cudaEvent_t>>;

// Makes an event of the current device; without times it is cheaper to record. A host thread that waits for it sleeps,
// and leaves its core to the workers. Throws DeviceError, which names `device`.
EventHandle make_event_handle(const std::string& device, EventTiming timing = EventTiming::off);

// One recording of an event.
struct Recording {
  EventHandle handle;   // is not recorded again as long as it has another owner than the CudaEvent
  FailureMark carried;  // what failed before it
};

// An event that can be recorded again while somebody waits for an earlier recording: if the CUDA event has another
// owner then, the next recording is one of a new CUDA event. Thread-safe. record() and make_wait() return the status of
// the event's own call, and throw what HostWork throws.
class CudaEvent {
 public:
  // `device` is the device's name, which outlives this object. The device must be current, as for record().
  CudaEvent(const std::string& device, EventTiming timing)
      : device_(device), timing_(timing), last_{make_event_handle(device, timing), {}} {}
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  cudaError_t record(cudaStream_t stream, const HostWork& host_work);
  cudaError_t make_wait(cudaStream_t stream, HostWork& host_work);
  // Returns the status, and the time between the newest recordings of both, which must have passed.
  cudaError_t elapsed(const CudaEvent& to, float& milliseconds) const;
  Recording last() const;

 private:
  const std::string& device_;
  const EventTiming timing_;
  mutable std::mutex mutex_;  // held during a recording, so that the parts of last_ match
  Recording last_;            // guarded by mutex_; its handle is shared with the threads that wait for it
};

}  // namespace leat::detail::cuda
