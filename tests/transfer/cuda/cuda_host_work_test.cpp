// Host work, events and memory of CUDA devices over the fake CUDA runtime.
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <memory>
#include <thread>

#include "leat/transfer/device.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

// Calls the runtime when it is destroyed, which the fake reports if that is not allowed there.
struct CallsInDestructor {
  explicit CallsInDestructor(std::latch& gone) : gone_(gone) {}
  ~CallsInDestructor() {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 8) == cudaSuccess) cudaFree(memory);
    gone_.count_down();
  }
  std::latch& gone_;
};

TEST_CASE("what host work holds is destroyed where the runtime may be called") {
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  std::latch gone(1);
  device.enqueue(stream, [held = std::make_shared<CallsInDestructor>(gone)] { CHECK(held.use_count() > 0); });
  gone.wait();
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("host work that was captured runs at each launch of the graph, and lives as long as that") {
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  auto* const raw = static_cast<cudaStream_t>(stream.ref().handle());
  int ran = 0;
  std::latch gone(1);
  {
    const FakeGraph graph(raw, [&] {
      device.enqueue(stream, [&ran, held = std::make_shared<CallsInDestructor>(gone)] { ++ran; });
    });
    for (int launch = 1; launch <= 3; ++launch) {
      graph.launch(raw);
      device.synchronize(stream.ref());
      CHECK(ran == launch);
    }
    CHECK_FALSE(gone.try_wait());
  }
  gone.wait();
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("host work that is enqueued behind captured work that throws is skipped") {
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream(), other = device.make_stream();
  const Event event = device.make_event();
  auto* const raw = static_cast<cudaStream_t>(stream.ref().handle());
  std::latch go(1);
  const FakeGraph graph(raw, [&] {
    device.enqueue(stream, [&] {
      go.wait();
      throw PlannedError("planned");
    });
  });
  int ran = 0;
  graph.launch(raw);
  device.enqueue(stream, [&] { ++ran; });
  device.record(event, stream);
  device.wait(other, event);
  go.count_down();
  expect_error<PlannedError>([&] { device.synchronize(other.ref()); }, {"planned"});
  CHECK(ran == 0);
}

TEST_CASE("captured host work that throws fails the stream that was captured") {
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  auto* const raw = static_cast<cudaStream_t>(stream.ref().handle());
  const FakeGraph graph(raw, [&] { device.enqueue(stream, [] { throw PlannedError("planned"); }); });
  device.synchronize(stream.ref());
  graph.launch(raw);
  expect_error<PlannedError>([&] { device.synchronize(stream.ref()); }, {"planned"});
}

TEST_CASE("asking whether an event has passed leaves no error behind") {
  Device& device = cuda_device(0);
  std::latch go(1);
  const Stream stream = device.make_stream();
  const Event event = device.make_event();
  device.enqueue(stream, [&] { go.wait(); });
  device.record(event, stream);
  const bool passed = device.passed(event);
  const cudaError_t last = cudaPeekAtLastError();
  go.count_down();
  CHECK_FALSE(passed);
  CHECK(last == cudaSuccess);
}

TEST_CASE("memory, streams and what host work held are given back while another thread captures a graph") {
  Device& device = cuda_device(0);
  const FakeStream captured;
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::latch gone(1);
  {
    DeviceBuffer buffer = device.allocate(100);
    PinnedBuffer pinned = device.allocate_pinned(100);
    const Stream stream = device.make_stream();
    must(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    std::thread([&] {
      device.enqueue(stream, [held = std::make_shared<CallsInDestructor>(gone)] {});
      device.synchronize(stream.ref());
      buffer = DeviceBuffer();
      pinned = PinnedBuffer();
    }).join();
    gone.wait();
  }
  CHECK(cuda_fake::holdings() == before);
  CHECK(end_capture(captured) == cudaSuccess);
}

TEST_CASE("a GPU's stream waits for an event of another GPU, and takes over its failure") {
  Device& first = cuda_device(0);
  Device& second = cuda_device(1);
  const Stream stream = first.make_stream(), other = second.make_stream();
  const Event event = first.make_event();
  std::latch go(1);
  int value = 0, seen = 0;
  first.enqueue(stream, [&] {
    go.wait();
    value = 7;
  });
  first.record(event, stream);
  second.wait(other, event);
  go.count_down();
  second.enqueue(other, [&] { seen = value; });
  second.synchronize(other.ref());
  CHECK(seen == 7);
  first.enqueue(stream, [] { throw PlannedError("planned"); });
  first.record(event, stream);
  second.wait(other, event);
  expect_error<PlannedError>([&] { second.synchronize(other.ref()); }, {"planned"});
}

}  // namespace
}  // namespace leat::test
