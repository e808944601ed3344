// The fake CUDA runtime's waits for the host, its copies between devices, and what it counts of waiting threads.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

#include "tests/transfer/cuda/host_word.h"

namespace leat::test {
namespace {

TEST_CASE("a fake stream waits until the host has written a word") {
  const HeldOrder order;
  HostWord word(0xffff'fffe);
  const FakeStream stream;
  CHECK(word.make_wait(stream, 1) == CUDA_SUCCESS);
  CHECK(cuda_fake::queued(stream) == std::vector<std::string>{"wait for the host"});
  CHECK_FALSE(cuda_fake::step(stream));
  word.write(0);
  CHECK_FALSE(cuda_fake::step(stream));
  word.write(2);  // more than the value will do, and the order is cyclic
  CHECK(cuda_fake::step(stream));
}

TEST_CASE("nobody needs to tell the fake that the host has written a word") {
  HostWord word(0);
  const FakeStream stream;
  std::vector<int> ran;
  CHECK(word.make_wait(stream, 1) == CUDA_SUCCESS);
  stream.append(ran, 1);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  cudaGetLastError();
  CHECK(ran.empty());
  word.write(1);
  must(cudaStreamSynchronize(stream));
  CHECK(ran == std::vector<int>{1});
}

TEST_CASE("only page-locked words can be waited for, and functions are found by name and version") {
  const FakeStream stream;
  std::uint32_t pageable = 0;
  CHECK(find_wait_value()(stream, reinterpret_cast<CUdeviceptr>(&pageable), 0, CU_STREAM_WAIT_VALUE_GEQ) !=
        CUDA_SUCCESS);
  CHECK(cudaPeekAtLastError() == cudaSuccess);  // which is the runtime's
  CHECK(find_wait_value(8000) == nullptr);
  CHECK(find_wait_value(12000, "cuStreamWaitForever") == nullptr);
  cuda_fake::hide_driver_functions(true);
  CHECK(find_wait_value() == nullptr);
  cuda_fake::hide_driver_functions(false);
}

// Copies to a device on one stream and back on another one that waits for the host, which has, or has not, waited for
// the first one when it lets the second go. Returns the violations.
std::vector<std::string> copy_behind_the_host(bool host_waits) {
  std::vector<std::byte> from(100, std::byte{1}), to(100);
  const Registered source(from, cudaHostRegisterDefault), target(to, cudaHostRegisterDefault);
  const FakeMemory memory(100);
  HostWord word(0);
  const FakeStream first, second;
  must(cudaMemcpyAsync(memory.data(), from.data(), 100, cudaMemcpyDefault, first));
  CHECK(word.make_wait(second, 1) == CUDA_SUCCESS);
  must(cudaMemcpyAsync(to.data(), memory.data(), 100, cudaMemcpyDefault, second));
  CHECK(cuda_fake::take_violations().empty());  // it is not known yet
  if (host_waits) must(cudaStreamSynchronize(first));
  word.write(1);
  must(cudaStreamSynchronize(second));
  must(cudaStreamSynchronize(first));
  return cuda_fake::take_violations();
}

TEST_CASE("work behind a wait for the host comes after what the host has waited for, and nothing else") {
  CHECK(copy_behind_the_host(true).empty());
  const auto violations = copy_behind_the_host(false);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("reads 100 bytes") != std::string::npos);
  CHECK(violations[0].find("nothing orders them") != std::string::npos);
}

TEST_CASE("what waits for a stream that waits for the host is checked when it runs, too") {
  std::vector<std::byte> host(100);
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeMemory memory(100);
  HostWord word(0);
  const FakeStream first, second, third;
  const FakeEvent event;
  must(cudaMemcpyAsync(memory.data(), host.data(), 100, cudaMemcpyDefault, first));
  CHECK(word.make_wait(second, 1) == CUDA_SUCCESS);
  must(cudaEventRecord(event, second));
  must(cudaStreamWaitEvent(third, event, 0));
  cuda_fake::use(third, memory.data(), 100, cuda_fake::Access::write);
  must(cudaStreamSynchronize(first));
  word.write(1);
  must(cudaStreamSynchronize(third));
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("threads that wait without asking for sleep are counted") {
  const FakeStream stream;
  const FakeEvent sleepy(cudaEventBlockingSync), awake;
  const auto before = cuda_fake::counts().spinning_waits;
  must(cudaEventRecord(sleepy, stream));
  must(cudaEventSynchronize(sleepy));
  CHECK(cuda_fake::counts().spinning_waits == before);
  must(cudaEventRecord(awake, stream));
  must(cudaEventSynchronize(awake));
  must(cudaStreamSynchronize(stream));
  CHECK(cuda_fake::counts().spinning_waits == before + 2);
}

TEST_CASE("copies to a device that may not be accessed are staged, and access is granted once") {
  const FakeMemory here(100);
  const FakeStream stream;
  const auto staged = [&](const FakeMemory& there) {
    const auto before = cuda_fake::counts().staged_copies;
    must(cudaMemcpyAsync(there.data(), here.data(), 100, cudaMemcpyDefault, stream));
    must(cudaStreamSynchronize(stream));
    return cuda_fake::counts().staged_copies - before;
  };
  const NoPeerAccess at_first;
  {
    const CurrentDevice second(1);
    const FakeMemory there(100);
    CHECK(staged(there) == 1);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaSuccess);
    CHECK(staged(there) == 1);  // that was the other direction
    const CurrentDevice first(0);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    CHECK(staged(there) == 0);
  }
  cuda_fake::reset_peer_access();
  cuda_fake::forbid_peer_access();
  int can = 1;
  must(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 0);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessUnsupported);
  cudaGetLastError();
}

}  // namespace
}  // namespace leat::test
