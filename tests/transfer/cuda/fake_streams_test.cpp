// The fake CUDA runtime orders the work of streams as CUDA does.
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <thread>
#include <vector>

#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {
namespace {

using Numbers = std::vector<int>;

TEST_CASE("a fake stream runs its work in order, and an event orders two of them") {
  const HeldOrder order;
  const FakeStream first, second;
  const FakeEvent event;
  Numbers ran;
  first.append(ran, 1);
  must(cudaEventRecord(event, first));
  must(cudaStreamWaitEvent(second, event, 0));
  second.append(ran, 2);
  CHECK(cuda_fake::queued(second) == std::vector<std::string>{"wait", "host function"});
  CHECK_FALSE(cuda_fake::step(second));  // it waits for the first
  CHECK(cuda_fake::step(first));
  CHECK_FALSE(cuda_fake::step(second));
  CHECK(cuda_fake::step(first));
  CHECK(cuda_fake::step(second));
  CHECK(cuda_fake::step(second));
  CHECK_FALSE(cuda_fake::step(second));
  CHECK(ran == Numbers{1, 2});
}

TEST_CASE("a wait means the record before it, and an event that was never recorded has passed") {
  const HeldOrder order;
  const FakeStream first, second;
  const FakeEvent event;
  must(cudaStreamWaitEvent(second, event, 0));
  CHECK(cuda_fake::queued(second).empty());
  CHECK(cudaEventQuery(event) == cudaSuccess);
  must(cudaEventRecord(event, first));
  must(cudaStreamWaitEvent(second, event, 0));
  CHECK(cuda_fake::step(first));
  must(cudaEventRecord(event, first));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorNotReady);  // as on a GPU
  CHECK(cuda_fake::step(second));
  CHECK(cuda_fake::step(first));
  CHECK(cudaEventQuery(event) == cudaSuccess);
}

TEST_CASE("the legacy stream waits for blocking streams, and they for it, but not for others") {
  const HeldOrder order;
  const FakeStream blocking(cudaStreamDefault), own;
  Numbers ran;
  const auto append = [&](cudaStream_t stream, int number) { append_number(stream, ran, number); };
  append(blocking, 1);
  append(nullptr, 2);
  append(blocking, 3);
  append(own, 4);
  CHECK_FALSE(cuda_fake::step(cudaStreamLegacy));  // another name of the null stream
  CHECK(cuda_fake::step(own));
  CHECK(cuda_fake::step(blocking));
  CHECK_FALSE(cuda_fake::step(blocking));
  CHECK(cuda_fake::step(nullptr));
  CHECK(cuda_fake::step(blocking));
  CHECK(ran == Numbers{4, 1, 2, 3});
}

TEST_CASE("each thread has a default stream of its own, which the legacy stream waits for") {
  const HeldOrder order;
  Numbers ran;
  append_number(cudaStreamPerThread, ran, 1);
  std::thread([&] {
    CHECK(cuda_fake::queued(cudaStreamPerThread).empty());
    append_number(cudaStreamPerThread, ran, 2);
    CHECK(cuda_fake::step(cudaStreamPerThread));
  }).join();
  append_number(nullptr, ran, 3);
  CHECK_FALSE(cuda_fake::step(nullptr));
  CHECK(cuda_fake::step(cudaStreamPerThread));
  CHECK(cuda_fake::step(nullptr));
  CHECK(ran == Numbers{2, 1, 3});
}

TEST_CASE("the legacy stream is another one on each device") {
  const HeldOrder order;
  Numbers ran;
  append_number(nullptr, ran, 1);
  {
    const CurrentDevice second(1);
    append_number(nullptr, ran, 2);
    CHECK(cuda_fake::step(nullptr));
  }
  CHECK(cuda_fake::step(nullptr));
  CHECK(ran == Numbers{2, 1});
}

TEST_CASE("host functions of all streams run on one thread, beside the devices' work") {
  const FakeStream first, second, third;
  const FakeMemory memory(8);
  std::thread::id ids[2];
  std::latch go(1);
  std::function<void()> wait = [&] {
    ids[0] = std::this_thread::get_id();
    go.wait();
  };
  std::function<void()> note = [&] { ids[1] = std::this_thread::get_id(); };
  first.run(wait);
  second.run(note);
  must(cudaMemsetAsync(memory.data(), 1, 8, third));
  must(cudaStreamSynchronize(third));  // though a host function is running
  CHECK(cudaStreamQuery(second) == cudaErrorNotReady);
  cudaGetLastError();
  go.count_down();
  must(cudaStreamSynchronize(second));
  CHECK(ids[0] == ids[1]);
  CHECK(ids[0] != std::this_thread::get_id());
}

TEST_CASE("a host function that calls the runtime is refused and reported") {
  const FakeStream stream;
  cudaError_t status = cudaSuccess;
  std::function<void()> call = [&] { status = cudaStreamQuery(stream); };
  stream.run(call);
  must(cudaStreamSynchronize(stream));
  CHECK(status == cudaErrorNotPermitted);
  CHECK(cuda_fake::take_violations() == std::vector<std::string>{"a host function calls cudaStreamQuery"});
}

TEST_CASE("work on a stream of a device that is not current is refused") {
  const FakeStream stream;
  const FakeEvent event;
  const FakeMemory memory(8);
  const CurrentDevice second(1);
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, stream) == cudaErrorInvalidResourceHandle);
  const FakeStream other;
  CHECK(cudaEventRecord(event, other) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);  // of one device
  CHECK(cudaStreamWaitEvent(other, event, 0) == cudaSuccess);
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("handles that were destroyed are refused") {
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaStreamDestroy(stream));
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_CASE("streams in a random order run their work in all orders that events allow") {
  bool first_led = false, second_led = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    cuda_fake::run_randomly(seed);
    const FakeStream first, second;
    const FakeEvent event;
    Numbers ran;
    first.append(ran, 1);
    must(cudaEventRecord(event, first));
    second.append(ran, 2);
    must(cudaStreamWaitEvent(second, event, 0));
    second.append(ran, 3);
    must(cudaStreamSynchronize(second));
    REQUIRE(ran.size() == 3);
    CHECK(ran.back() == 3);
    (ran.front() == 1 ? first_led : second_led) = true;
  }
  cuda_fake::go_free();
  CHECK(first_led);
  CHECK(second_led);
}

TEST_CASE("the time between two events is that of the work between them") {
  const FakeStream stream;
  const FakeEvent start(cudaEventDefault), end(cudaEventDefault), untimed;
  float milliseconds = -1;
  must(cudaEventRecord(start, stream));
  must(cudaEventRecord(end, stream));
  must(cudaEventRecord(untimed, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

}  // namespace
}  // namespace leat::test
