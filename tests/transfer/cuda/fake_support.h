// What tests of the fake CUDA runtime hold: streams, events and memory that end with their scope.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cuda_fake/fake_cuda.h"

namespace leat::test {

inline void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorName(status));
}

// While it lives, work runs only by cuda_fake::step().
struct HeldOrder {
  HeldOrder() { cuda_fake::hold(); }
  HeldOrder(const HeldOrder&) = delete;
  HeldOrder& operator=(const HeldOrder&) = delete;
  ~HeldOrder() { cuda_fake::go_free(); }
};

class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    must(cudaGetDevice(&before_));
    must(cudaSetDevice(device));
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

// While it lives, devices have the access to each other's memory that they get meanwhile; then they all have it, since
// the devices of the library ask for it but once.
struct NoPeerAccess {
  NoPeerAccess() { cuda_fake::reset_peer_access(); }
  NoPeerAccess(const NoPeerAccess&) = delete;
  NoPeerAccess& operator=(const NoPeerAccess&) = delete;
  ~NoPeerAccess() {
    cuda_fake::reset_peer_access();
    for (const int device : {0, 1}) {
      const CurrentDevice current(device);
      cudaDeviceEnablePeerAccess(1 - device, 0);
    }
  }
};

// Host functions that the caller keeps until the stream has passed them.
inline void run_on(cudaStream_t stream, std::function<void()>& function) {
  must(cudaLaunchHostFunc(
      stream, [](void* argument) { (*static_cast<std::function<void()>*>(argument))(); }, &function));
}

inline void append_number(cudaStream_t stream, std::vector<int>& numbers, int number) {
  struct Appending {
    std::vector<int>& numbers;
    int number;
  };
  const auto run = [](void* argument) {
    const auto* const appending = static_cast<Appending*>(argument);
    appending->numbers.push_back(appending->number);
    delete appending;
  };
  must(cudaLaunchHostFunc(stream, run, new Appending{numbers, number}));
}

class FakeStream {
 public:
  explicit FakeStream(unsigned flags = cudaStreamNonBlocking) {
    must(cudaStreamCreateWithFlags(&stream_, flags));
  }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  ~FakeStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT: implicit on purpose
  void append(std::vector<int>& numbers, int number) const { append_number(stream_, numbers, number); }
  void run(std::function<void()>& function) const { run_on(stream_, function); }

 private:
  cudaStream_t stream_ = nullptr;
};

class FakeEvent {
 public:
  explicit FakeEvent(unsigned flags = cudaEventDisableTiming) {
    must(cudaEventCreateWithFlags(&event_, flags));
  }
  FakeEvent(const FakeEvent&) = delete;
  FakeEvent& operator=(const FakeEvent&) = delete;
  ~FakeEvent() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }  // NOLINT: implicit on purpose

 private:
  cudaEvent_t event_ = nullptr;
};

class FakeMemory {
 public:
  explicit FakeMemory(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    must(cudaMalloc(&memory, bytes));
    data_ = static_cast<std::byte*>(memory);
  }
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  ~FakeMemory() { cudaFree(data_); }
  std::byte* data() const { return data_; }
  // Waits for `stream` and returns the bytes.
  std::vector<std::byte> read(cudaStream_t stream) const {
    std::vector<std::byte> bytes(bytes_);
    must(cudaMemcpyAsync(bytes.data(), data_, bytes_, cudaMemcpyDefault, stream));
    return bytes;
  }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

// A graph of what `body` enqueues on a stream.
class FakeGraph {
 public:
  template <class Body>
  FakeGraph(cudaStream_t stream, Body body, cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed) {
    must(cudaStreamBeginCapture(stream, mode));
    body();
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&exec_, graph));
    must(cudaGraphDestroy(graph));
  }
  FakeGraph(const FakeGraph&) = delete;
  FakeGraph& operator=(const FakeGraph&) = delete;
  ~FakeGraph() { cudaGraphExecDestroy(exec_); }
  void launch(cudaStream_t stream) const { must(cudaGraphLaunch(exec_, stream)); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

// Ends a capture, and returns its status. The graph, if there is one, is dropped.
inline cudaError_t end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  if (status == cudaSuccess) {
    must(cudaGraphDestroy(graph));
  } else {
    cudaGetLastError();
  }
  return status;
}

class Registered {
 public:
  Registered(std::vector<std::byte>& memory, unsigned flags) : data_(memory.data()) {
    must(cudaHostRegister(data_, memory.size(), flags));
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { cudaHostUnregister(data_); }

 private:
  std::byte* data_;
};

}  // namespace leat::test
