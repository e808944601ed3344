// The fake CUDA runtime copies as CUDA does, and notices what would go wrong on a GPU.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {
namespace {

using Bytes = std::vector<std::byte>;

bool mentions(const std::vector<std::string>& violations, const std::vector<std::string>& parts) {
  if (violations.size() != 1) return false;
  for (const std::string& part : parts) {
    if (violations[0].find(part) == std::string::npos) return false;
  }
  return true;
}

// Returns whether a child that runs `body` dies of a fault.
template <class Body>
bool dies_of_fault(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would end the program in its own way
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST_CASE("device memory starts with bytes that mean nothing") {
  const FakeStream stream;
  const FakeMemory memory(100);
  CHECK(memory.read(stream) == Bytes(100, std::byte{0xab}));
}

TEST_CASE("the host can neither read nor write device memory", "[process]") {
  const FakeMemory memory(100);
  CHECK(dies_of_fault([&] { static_cast<void>(static_cast<volatile std::byte*>(memory.data())[0]); }));
  CHECK(dies_of_fault([&] { static_cast<volatile std::byte*>(memory.data())[99] = std::byte{1}; }));
}

TEST_CASE("a copy beyond an allocation's end is refused, and so is one of the wrong kind") {
  const FakeStream stream;
  const FakeMemory memory(100);
  Bytes host(200);
  CHECK(cudaMemcpyAsync(memory.data() + 50, host.data(), 51, cudaMemcpyDefault, stream) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(memory.data(), host.data(), 10, cudaMemcpyDeviceToHost, stream) ==
        cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("a copy from pageable memory waits for its stream and stages the bytes") {
  Bytes host(100, std::byte{1});
  const FakeStream stream;
  const FakeMemory memory(100);
  const auto before = cuda_fake::counts().pageable_copies;
  bool has_run = false;
  std::function<void()> note = [&] { has_run = true; };
  stream.run(note);
  must(cudaMemcpyAsync(memory.data(), host.data(), 100, cudaMemcpyDefault, stream));
  CHECK(has_run);
  host.assign(100, std::byte{2});  // the copy does not see it
  CHECK(memory.read(stream) == Bytes(100, std::byte{1}));
  CHECK(cuda_fake::counts().pageable_copies == before + 2);  // reading back is one
}

TEST_CASE("a copy from registered memory returns at once, and a source that changes is reported") {
  Bytes host(100, std::byte{1});
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream stream;
  const FakeMemory memory(100);
  const auto before = cuda_fake::counts().pageable_copies;
  {
    const HeldOrder order;
    must(cudaMemcpyAsync(memory.data(), host.data(), 100, cudaMemcpyDefault, stream));
    host[7] = std::byte{2};
    CHECK(cuda_fake::step(stream));
  }
  CHECK(mentions(cuda_fake::take_violations(), {"100 bytes", "changed before they were copied"}));
  CHECK(cuda_fake::counts().pageable_copies == before);
}

TEST_CASE("memory is registered once, and for other devices only if it is portable") {
  Bytes host(3000);
  const FakeMemory memory(100);
  const FakeStream stream;
  const auto pageable = [&] {
    const auto before = cuda_fake::counts().pageable_copies;
    must(cudaMemcpyAsync(memory.data(), host.data(), 100, cudaMemcpyDefault, stream));
    must(cudaStreamSynchronize(stream));
    return cuda_fake::counts().pageable_copies - before;
  };
  for (const bool is_portable : {false, true}) {
    const CurrentDevice second(1);
    const Registered registered(host, is_portable ? cudaHostRegisterPortable : cudaHostRegisterDefault);
    CHECK(cudaHostRegister(host.data() + 2999, 10, 0) == cudaErrorHostMemoryAlreadyRegistered);
    CHECK(pageable() == (is_portable ? 0 : 1));
  }
  CHECK(pageable() == 1);
  CHECK(cudaHostUnregister(host.data()) == cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST_CASE("copies of two streams that nothing orders are reported, in whatever order they run") {
  Bytes host(100);
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream first, second;
  const FakeMemory memory(100);
  const FakeEvent event;
  must(cudaMemcpyAsync(memory.data(), host.data(), 60, cudaMemcpyDefault, first));
  must(cudaMemcpyAsync(memory.data() + 60, host.data(), 40, cudaMemcpyDefault, second));  // beside it
  CHECK(cuda_fake::take_violations().empty());
  cuda_fake::use(second, memory.data() + 59, 2, cuda_fake::Access::read);
  CHECK(mentions(cuda_fake::take_violations(),
                 {"use of stream", "reads 2 bytes", "copy of stream", "writes 60 bytes"}));
  must(cudaEventRecord(event, first));
  must(cudaStreamWaitEvent(second, event, 0));
  cuda_fake::use(second, memory.data(), 60, cuda_fake::Access::read);
  CHECK(cuda_fake::take_violations().empty());
  must(cudaMemsetAsync(memory.data(), 0, 10, first));  // while the second may read it
  CHECK(mentions(cuda_fake::take_violations(), {"fill of stream", "use of stream"}));
  must(cudaStreamSynchronize(first));
  must(cudaStreamSynchronize(second));  // the host orders what comes next
  must(cudaMemsetAsync(memory.data(), 0, 10, second));
  CHECK(cuda_fake::take_violations().empty());
  must(cudaStreamSynchronize(second));
}

// A call of cudaMemcpyBatchAsync() for these copies.
struct Copies {
  std::vector<void*> to;
  std::vector<const void*> from;
  std::vector<std::size_t> sizes;
  cudaMemcpySrcAccessOrder order = cudaMemcpySrcAccessOrderStream;

  cudaError_t enqueue(cudaStream_t stream) {
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = order;
    std::size_t first = 0;
    return cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), sizes.size(), &attributes, &first, 1,
                                stream);
  }
};

TEST_CASE("a batch of copies is one piece of a stream's work, and each of them is counted") {
  Bytes host(100, std::byte{1}), other(100, std::byte{2});
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream stream;
  const FakeMemory memory(100);
  const auto before = cuda_fake::counts();
  {
    const HeldOrder order;
    Copies copies{{memory.data(), memory.data() + 60}, {host.data(), other.data()}, {60, 40}};
    must(copies.enqueue(stream));
    CHECK(cuda_fake::queued(stream) == std::vector<std::string>{"copies"});
    host[59] = std::byte{3};
    CHECK(cuda_fake::step(stream));
  }
  const auto after = cuda_fake::counts();
  CHECK(after.copy_batches == before.copy_batches + 1);
  CHECK(after.copies == before.copies + 2);
  CHECK(after.pageable_copies == before.pageable_copies + 1);
  CHECK(mentions(cuda_fake::take_violations(), {"60 bytes", "changed before they were copied"}));
  Bytes expected(100, std::byte{1});
  expected[59] = std::byte{3};
  std::fill(expected.begin() + 60, expected.end(), std::byte{2});
  CHECK(memory.read(stream) == expected);
}

TEST_CASE("what CUDA would refuse of a batch of copies is refused") {
  Bytes host(100);
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream stream;
  const FakeMemory memory(100);
  const auto before = cuda_fake::counts();
  const Copies valid{{memory.data(), memory.data() + 10}, {host.data(), host.data() + 10}, {10, 10}};
  Copies copies = valid;
  CHECK(copies.enqueue(nullptr) == cudaErrorInvalidValue);
  CHECK(copies.enqueue(cudaStreamLegacy) == cudaErrorInvalidValue);
  copies.sizes[1] = 0;
  CHECK(copies.enqueue(stream) == cudaErrorInvalidValue);
  copies.sizes[1] = 91;
  CHECK(copies.enqueue(stream) == cudaErrorInvalidValue);
  copies = valid;
  copies.order = cudaMemcpySrcAccessOrderInvalid;
  CHECK(copies.enqueue(stream) == cudaErrorInvalidValue);
  CHECK(Copies().enqueue(stream) == cudaErrorInvalidValue);
  copies = valid;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(copies.enqueue(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(end_capture(stream) == cudaErrorStreamCaptureInvalidated);
  CHECK(cuda_fake::counts().copies == before.copies);
  CHECK(cuda_fake::counts().copy_batches == before.copy_batches);
  CHECK(copies.enqueue(cudaStreamPerThread) == cudaSuccess);
  must(cudaStreamSynchronize(cudaStreamPerThread));
  cudaGetLastError();
}

TEST_CASE("a batch of copies that depend on each other is reported, and one that other work may disturb") {
  Bytes host(100);
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream stream, other;
  const FakeMemory memory(100);
  Copies twice{{memory.data(), memory.data() + 9}, {host.data(), host.data()}, {10, 10}};
  must(twice.enqueue(stream));
  CHECK(mentions(cuda_fake::take_violations(), {"10 bytes", "batch of copies", "another copy"}));
  Copies chain{{memory.data(), memory.data() + 50}, {host.data(), memory.data() + 9}, {10, 10}};
  must(chain.enqueue(stream));
  CHECK(mentions(cuda_fake::take_violations(), {"10 bytes", "batch of copies", "another copy"}));
  must(cudaStreamSynchronize(stream));
  Copies apart{{memory.data(), memory.data() + 10}, {host.data(), host.data()}, {10, 10}};
  must(apart.enqueue(stream));
  CHECK(cuda_fake::take_violations().empty());
  must(cudaMemsetAsync(memory.data() + 19, 0, 1, other));
  CHECK(
      mentions(cuda_fake::take_violations(), {"fill of stream", "copies of stream", "nothing orders them"}));
  must(cudaStreamSynchronize(stream));
  must(cudaStreamSynchronize(other));
}

TEST_CASE("a use of host memory that is not registered is reported, and one whose memory the host changes") {
  Bytes host(100), other(100);
  const FakeStream stream;
  const Registered registered(host, cudaHostRegisterDefault);
  cuda_fake::use(stream, other.data(), 100, cuda_fake::Access::read);
  CHECK(mentions(cuda_fake::take_violations(), {"use of 100 bytes", "not registered"}));
  must(cudaStreamSynchronize(stream));
  {
    const HeldOrder order;
    cuda_fake::use(stream, host.data() + 1, 99, cuda_fake::Access::read);
    host[0] = std::byte{1};
    CHECK(cuda_fake::step(stream));
    CHECK(cuda_fake::take_violations().empty());
    cuda_fake::use(stream, host.data() + 1, 99, cuda_fake::Access::read);
    host[99] = std::byte{1};
    CHECK(cuda_fake::step(stream));
  }
  CHECK(mentions(cuda_fake::take_violations(), {"99 bytes", "changed before they were used"}));
}

TEST_CASE("memory that is freed while a copy uses it is reported") {
  Bytes host(100);
  const Registered registered(host, cudaHostRegisterDefault);
  const FakeStream stream;
  std::thread freeing;
  {
    void* memory = nullptr;
    must(cudaMalloc(&memory, 100));
    const HeldOrder order;
    must(cudaMemcpyAsync(memory, host.data(), 100, cudaMemcpyDefault, stream));
    freeing = std::thread([memory] { cudaFree(memory); });  // it waits for the copy
    std::vector<std::string> violations;
    while ((violations = cuda_fake::take_violations()).empty()) std::this_thread::yield();
    CHECK(violations.size() == 1);
    CHECK(violations[0].find("given back while copy") != std::string::npos);
  }
  freeing.join();
}

TEST_CASE("there is less memory than that", "[process]") {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, std::size_t{1} << 40) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  const FakeMemory held(1000);
  must(cudaMemGetInfo(&free, &total));
  CHECK(total - free == 1000);
}

TEST_CASE("a process that was forked cannot use the runtime", "[process]") {
  const FakeStream stream;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(cudaStreamSynchronize(stream) == cudaErrorInitializationError ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("the n-th call fails, and a lost device fails all") {
  const FakeStream stream;
  const FakeMemory memory(8);
  cuda_fake::fail_call(2, cudaErrorLaunchFailure);
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
  CHECK(cuda_fake::failed_call() == "cudaStreamSynchronize");
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  cuda_fake::lose(cudaErrorIllegalAddress);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  CHECK(cudaMemsetAsync(memory.data(), 0, 8, stream) == cudaErrorIllegalAddress);
  cuda_fake::recover();
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  cudaGetLastError();
}

}  // namespace
}  // namespace leat::test
