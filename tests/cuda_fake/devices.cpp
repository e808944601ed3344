// Errors and devices.
#include <map>
#include <string>
#include <utility>

#include "tests/cuda_fake/runtime.h"

using namespace leat::cuda_fake;

namespace {

bool is_device(int device) {
  return device >= 0 && device < Machine::get().devices();
}

}  // namespace

extern "C" {

// --- Errors.

cudaError_t cudaGetLastError() {
  return std::exchange(this_thread().last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  return this_thread().last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  static const std::map<cudaError_t, const char*> names{
      {cudaSuccess, "cudaSuccess"},
      {cudaErrorInvalidValue, "cudaErrorInvalidValue"},
      {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation"},
      {cudaErrorInitializationError, "cudaErrorInitializationError"},
      {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration"},
      {cudaErrorNoDevice, "cudaErrorNoDevice"},
      {cudaErrorInvalidDevice, "cudaErrorInvalidDevice"},
      {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle"},
      {cudaErrorNotReady, "cudaErrorNotReady"},
      {cudaErrorIllegalAddress, "cudaErrorIllegalAddress"},
      {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered"},
      {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered"},
      {cudaErrorLaunchFailure, "cudaErrorLaunchFailure"},
      {cudaErrorNotPermitted, "cudaErrorNotPermitted"},
      {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported"},
      {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated"},
      {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit"}};
  const auto found = names.find(error);
  return found == names.end() ? "cudaErrorOfAnotherKind" : found->second;
}

const char* cudaGetErrorString(cudaError_t error) {
  static const std::map<cudaError_t, const char*> texts{
      {cudaSuccess, "no error"},
      {cudaErrorMemoryAllocation, "out of memory"},
      {cudaErrorNoDevice, "no CUDA-capable device is detected"},
      {cudaErrorInvalidDevice, "invalid device ordinal"},
      {cudaErrorInvalidResourceHandle, "invalid resource handle"},
      {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
      {cudaErrorLaunchFailure, "unspecified launch failure"}};
  const auto found = texts.find(error);
  return found == texts.end() ? "an error of the fake runtime" : found->second;
}

// --- Devices.

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", Kind::plain, [&](Machine::Lock&) {
    *count = Machine::get().devices();
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", Kind::plain, [&](Machine::Lock&) {
    *device = this_thread().device;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", Kind::plain, [&](Machine::Lock&) {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    this_thread().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", Kind::plain, [&](Machine::Lock&) {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *properties = {.name = "fake GPU", .totalGlobalMem = kDeviceBytes, .multiProcessorCount = 1};
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* address, int length, int device) {
  return call("cudaDeviceGetPCIBusId", Kind::plain, [&](Machine::Lock&) {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::string text = Runtime::get().pci_address;
    if (text.empty()) text = "FA4E:00:0" + std::to_string(device % 10) + ".0";
    if (length <= static_cast<int>(text.size())) return cudaErrorInvalidValue;
    text.copy(address, text.size());
    address[text.size()] = '\0';
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", Kind::unsafe, [](Machine::Lock& lock) {
    ++Runtime::get().counts.spinning_waits;
    Machine::get().wait_for_device(lock, this_thread().device);
    return Runtime::get().lost;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", Kind::plain, [&](Machine::Lock&) {
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = device == peer || Runtime::get().forbids_peers ? 0 : 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call("cudaDeviceEnablePeerAccess", Kind::plain, [&](Machine::Lock&) {
    if (!is_device(peer) || peer == this_thread().device) return cudaErrorInvalidDevice;
    if (Runtime::get().forbids_peers) return cudaErrorPeerAccessUnsupported;
    const bool is_new = Runtime::get().peers.emplace(this_thread().device, peer).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

}  // extern "C"
