// The fake CUDA runtime captures the work of streams into graphs as CUDA does.
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {
namespace {

TEST_CASE("a graph runs what was captured, on two streams, each time it is launched") {
  const FakeStream stream, other;
  const FakeEvent begin, end;
  std::vector<int> ran;
  std::function<void()> first = [&] { ran.push_back(1); }, second = [&] { ran.push_back(2); },
                        third = [&] { ran.push_back(3); };
  const auto enqueue = [&] {
    stream.run(first);
    must(cudaEventRecord(begin, stream));
    must(cudaStreamWaitEvent(other, begin, 0));
    other.run(second);
    must(cudaEventRecord(end, other));
    must(cudaStreamWaitEvent(stream, end, 0));
    stream.run(third);
  };
  const FakeGraph graph(stream, enqueue, cudaStreamCaptureModeGlobal);
  CHECK(ran.empty());
  for (int launch = 0; launch < 3; ++launch) graph.launch(stream);
  must(cudaStreamSynchronize(stream));
  CHECK(ran == std::vector<int>{1, 2, 3, 1, 2, 3, 1, 2, 3});
  cudaStreamCaptureStatus status{};
  must(cudaStreamIsCapturing(other, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
}

TEST_CASE("a stream that captures cannot be waited for, nor can its events") {
  const FakeStream stream;
  const FakeEvent event;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  must(cudaEventRecord(event, stream));
  CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaEventQuery(event) == cudaErrorCapturedEvent);
  cudaStreamCaptureStatus status{};
  must(cudaStreamIsCapturing(stream, &status));
  CHECK(status == cudaStreamCaptureStatusInvalidated);
  CHECK(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a capture cannot wait for what was not captured") {
  const FakeStream stream, other;
  const FakeEvent event;
  must(cudaEventRecord(event, other));
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureIsolation);
  CHECK(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a capture ends when all its streams have joined again") {
  const FakeStream stream, other;
  const FakeEvent event;
  const FakeMemory memory(8);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(cudaEventRecord(event, stream));
  must(cudaStreamWaitEvent(other, event, 0));
  must(cudaMemsetAsync(memory.data(), 0, 8, other));
  CHECK(end_capture(stream) == cudaErrorStreamCaptureUnjoined);
}

TEST_CASE("the legacy stream cannot be used while a blocking stream captures") {
  const FakeStream blocking(cudaStreamDefault), own;
  const FakeMemory memory(8);
  cudaStreamCaptureStatus status{};
  must(cudaStreamBeginCapture(own, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, nullptr) == cudaSuccess);
  CHECK(end_capture(own) == cudaSuccess);
  must(cudaDeviceSynchronize());
  must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaErrorStreamCaptureImplicit);  // asking is harmless
  CHECK(end_capture(blocking) == cudaSuccess);
  must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, nullptr) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, blocking) == cudaErrorStreamCaptureInvalidated);
  CHECK(end_capture(blocking) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE(
    "while a stream captures, only calls that cannot break it are allowed, unless the thread says "
    "otherwise") {
  const FakeStream stream, other;
  const FakeMemory memory(8);
  void* more = nullptr;
  const auto in_thread = [](auto call) {
    cudaError_t status = cudaSuccess;
    std::thread([&] { status = call(); }).join();
    return status;
  };
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, other) == cudaSuccess);  // on a stream that does not capture
  CHECK(in_thread([&] {
          cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
          must(cudaThreadExchangeStreamCaptureMode(&relaxed));
          return cudaStreamSynchronize(other);
        }) == cudaSuccess);
  CHECK(in_thread([&] { return cudaMalloc(&more, 8); }) == cudaErrorStreamCaptureUnsupported);
  CHECK(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(in_thread([&] { return cudaStreamSynchronize(other); }) == cudaSuccess);
  CHECK(cudaMalloc(&more, 8) == cudaErrorStreamCaptureUnsupported);
  CHECK(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
}

}  // namespace
}  // namespace leat::test
