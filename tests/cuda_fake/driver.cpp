// Functions of the driver, and how they are found.
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "tests/cuda_fake/runtime.h"

using namespace leat::cuda_fake;

namespace {

constexpr unsigned kVersionOfWaitValue = 11070;

cudaError_t enqueue_wait(Machine::Lock& lock, const std::shared_ptr<Queue>& queue, std::uint32_t* word,
                         std::uint32_t value) {
  Runtime& runtime = Runtime::get();
  if (queue->capture != nullptr) return invalidate(queue->capture, cudaErrorStreamCaptureUnsupported);
  if (!runtime.is_registered(word, sizeof *word, queue->device)) return cudaErrorInvalidValue;
  ++runtime.counts.value_waits;
  Machine::get().enqueue(
      lock, *queue,
      {.name = "wait for the host",
       .is_ready =
           [=] {
             const std::uint32_t now = std::atomic_ref(*word).load(std::memory_order_acquire);
             return static_cast<std::int32_t>(now - value) >= 0;
           },
       .ranges = {{reinterpret_cast<const std::byte*>(word), sizeof *word, Access::read}}});
  return cudaSuccess;
}

CUresult wait_value(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  const cudaError_t last =
      this_thread().last_error;  // the driver's functions leave the runtime's error alone
  const cudaError_t status =
      call_on(stream, "cuStreamWaitValue32", Kind::plain,
              [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                if (flags != CU_STREAM_WAIT_VALUE_GEQ) return cudaErrorNotSupported;
                return enqueue_wait(lock, queue, reinterpret_cast<std::uint32_t*>(address), value);
              });
  this_thread().last_error = last;
  return static_cast<CUresult>(status);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long, cudaDriverEntryPointQueryResult* result) {
  return call("cudaGetDriverEntryPointByVersion", Kind::plain, [&](Machine::Lock&) {
    const bool is_there =
        std::string_view(name) == "cuStreamWaitValue32" && !Runtime::get().lacks_driver_functions;
    const bool is_enough = version >= kVersionOfWaitValue;
    *function = is_there && is_enough ? reinterpret_cast<void*>(wait_value) : nullptr;
    *result = !is_there    ? cudaDriverEntryPointSymbolNotFound
              : !is_enough ? cudaDriverEntryPointVersionNotSufficent
                           : cudaDriverEntryPointSuccess;
    return cudaSuccess;
  });
}

}  // extern "C"
