// Events and copies across devices, over the fake CUDA runtime: by what they are carried, and what happens if CUDA
// fails.
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <memory>
#include <thread>

#include "leat/loader/os/child_process.h"
#include "leat/transfer/cuda/cuda_device.h"
#include "leat/transfer/cuda/foreign_wait.h"
#include "leat/transfer/cuda/peer_access.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/pair_contract.h"

namespace leat::test {

using namespace leat::detail;
using namespace std::chrono_literals;

namespace {

cudaStream_t raw(StreamRef stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

TEST_CASE("a GPU's stream waits for the CPU by one operation of its own, and no host function") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  std::latch go(1);
  const Stream stream = cpu.make_stream(), waiting = gpu.make_stream();
  const Event event = cpu.make_event();
  const cuda_fake::Counts before = cuda_fake::counts();
  {
    const HeldOrder order;
    cpu.enqueue(stream, [&] { go.wait(); });
    cpu.record(event, stream);
    gpu.wait(waiting, event);
    CHECK(cuda_fake::queued(raw(waiting)) == std::vector<std::string>{"wait for the host"});
    CHECK_FALSE(cuda_fake::step(raw(waiting)));
    go.count_down();
    cpu.synchronize(stream.ref());
    CHECK(cuda_fake::step(raw(waiting)));
    gpu.wait(waiting, event);
    CHECK(cuda_fake::queued(raw(waiting)).empty());  // the event has passed
  }
  CHECK(cuda_fake::counts().host_functions == before.host_functions);
  CHECK(cuda_fake::counts().value_waits == before.value_waits + 1);
}

TEST_CASE("a stream of the CPU waits for a GPU") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const Stream stream = gpu.make_stream(), waiting = cpu.make_stream();
  const Event event = gpu.make_event(), behind = cpu.make_event();
  const HeldOrder order;
  gpu.record(event, stream);
  cpu.wait(waiting, event);
  cpu.record(behind, waiting);
  gpu.record(event, stream);  // a second recording, which nobody waits for
  CHECK_FALSE(cpu.passed(behind));
  CHECK(cuda_fake::step(raw(stream)));
  cpu.synchronize(behind.ref());
  CHECK_FALSE(gpu.passed(event));
  CHECK(cuda_fake::step(raw(stream)));
  CHECK(gpu.passed(event));
}

TEST_CASE("an event that is recorded again gets a CUDA event of its own only while a thread waits") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const Stream stream = gpu.make_stream(), waiting = cpu.make_stream();
  const Event event = gpu.make_event();
  const auto before = cuda_fake::holdings().events;
  gpu.record(event, stream);
  gpu.record(event, stream);
  CHECK(cuda_fake::holdings().events == before);
  {
    const HeldOrder order;
    gpu.record(event, stream);
    cpu.wait(waiting, event);
    gpu.record(event, stream);
    gpu.record(event, stream);
    CHECK(cuda_fake::holdings().events == before + 1);
  }
  cpu.synchronize(waiting.ref());
  CHECK(cuda_fake::holdings().events == before);
}

TEST_CASE("no thread of the host spins while it waits for a GPU") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const auto before = cuda_fake::counts().spinning_waits;
  {
    const Stream stream = gpu.make_stream(), waiting = cpu.make_stream();
    const Event event = gpu.make_event();
    gpu.record(event, stream);
    cpu.wait(waiting, event);
    cpu.synchronize(waiting.ref());
    gpu.synchronize(event.ref());
    gpu.synchronize(stream.ref());
    StreamRef(gpu, nullptr).synchronize();
  }
  CHECK(cuda_fake::counts().spinning_waits == before);
}

TEST_CASE("more waits than a page of words holds") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  std::latch go(1);
  const Stream stream = cpu.make_stream(), waiting = gpu.make_stream();
  const Event event = cpu.make_event();
  int ran = 0;
  cpu.enqueue(stream, [&] { go.wait(); });
  cpu.record(event, stream);
  for (int i = 0; i < 2500; ++i) gpu.wait(waiting, event);
  gpu.enqueue(waiting, [&] { ++ran; });
  go.count_down();
  gpu.synchronize(waiting.ref());
  CHECK(ran == 1);
}

TEST_CASE("words are used again, and signals that were sent do not let later waits pass") {
  const std::string name = "cuda:0";
  const auto before = cuda_fake::holdings().registrations;
  {
    cuda::HostSignals signals(name);
    for (int i = 0; i < 5000; ++i) signals.make()->send();
    CHECK(cuda_fake::holdings().registrations == before + 1);
    const FakeStream stream;
    const auto signal = signals.make();
    signals.make_wait(stream, *signal);
    const cudaError_t status = cudaStreamQuery(stream);
    signal->send();
    must(cudaStreamSynchronize(stream));
    CHECK(status == cudaErrorNotReady);
    cudaGetLastError();
  }
  CHECK(cuda_fake::holdings().registrations == before);
}

TEST_CASE("a driver without the operation is told of, and the stream goes on") {
  const std::string name = "cuda:0";
  cuda::HostSignals signals(name);
  cuda_fake::hide_driver_functions(true);
  expect_error<DeviceError>([&] { static_cast<void>(signals.make()); },
                            {"cuda:0", "the driver has no cuStreamWaitValue32"});
  cuda_fake::hide_driver_functions(false);
  const FakeStream stream;
  const auto signal = signals.make();
  signals.make_wait(stream, *signal);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  cudaGetLastError();
  signal->send();
  must(cudaStreamSynchronize(stream));
}

TEST_CASE("a stream does not wait for an event that can never pass, and says so") {
  const std::string name = "cuda:0";
  cuda::HostSignals signals(name);
  const FakeStream stream;
  const auto log = std::make_shared<cuda::FailureLog>();
  {
    const cuda::ForeignWait wait(signals.make(), log);
    signals.make_wait(stream, wait.signal());
    CHECK(log->failure() == nullptr);
  }
  must(cudaStreamSynchronize(stream));
  const std::exception_ptr failure = log->failure();
  REQUIRE(failure != nullptr);
  expect_error<DeviceError>([&] { std::rethrow_exception(failure); }, {"can never pass"});
}

TEST_CASE("whichever call of a wait fails, the error is thrown and neither stream is harmed") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const Stream of_cpu = cpu.make_stream(), of_gpu = gpu.make_stream();
  const Event event = cpu.make_event(), back = gpu.make_event();
  std::size_t failures = 0;
  bool all_passed = false;
  for (std::size_t n = 1; !all_passed; ++n) {
    std::latch go(1);
    cpu.enqueue(of_cpu, [&] { go.wait(); });
    cpu.record(event, of_cpu);
    cuda_fake::fail_call(n, cudaErrorInvalidValue);
    std::string error;
    std::thread([&] {  // the call that fails may leave the thread in another mode for captures
      try {
        gpu.wait(of_gpu, event);
        gpu.record(back, of_gpu);
        cpu.wait(of_cpu, back);
      } catch (const DeviceError& failed) {
        error = failed.what();
      }
      CHECK(cudaPeekAtLastError() == cudaSuccess);
    })
        .join();
    const std::string call = cuda_fake::failed_call();
    cuda_fake::recover();
    go.count_down();
    INFO("call " << n << ", " << call << ": " << error);
    all_passed = call.empty();
    if (call != "cudaThreadExchangeStreamCaptureMode")
      CHECK(error.find(call.empty() ? "" : call) != std::string::npos);
    failures += error.empty() ? 0 : 1;
    gpu.synchronize(of_gpu.ref());
    cpu.synchronize(of_cpu.ref());
    REQUIRE(n < 100);
  }
  CHECK(failures > 5);
}

TEST_CASE("a GPU that is lost fails the streams of the CPU that wait for it") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const Stream stream = gpu.make_stream(), waiting = cpu.make_stream();
  const Event event = gpu.make_event();
  {
    const HeldOrder order;
    gpu.record(event, stream);
    cpu.wait(waiting, event);
    cuda_fake::lose(cudaErrorIllegalAddress);
  }
  expect_error<DeviceError>([&] { cpu.synchronize(waiting.ref()); }, {"cuda:0", "cudaErrorIllegalAddress"});
  cuda_fake::recover();
  cudaGetLastError();
}

TEST_CASE("a captured stream does not wait for the CPU, nor the CPU for a captured event") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const Stream captured = gpu.make_stream(), stream = cpu.make_stream();
  const Event of_cpu = cpu.make_event(), of_gpu = gpu.make_event();
  cpu.record(of_cpu, stream);
  must(cudaStreamBeginCapture(raw(captured), cudaStreamCaptureModeRelaxed));
  expect_error<DeviceError>([&] { gpu.wait(captured, of_cpu); }, {"cuda:0", "captured", "cpu"});
  CHECK(end_capture(raw(captured)) == cudaSuccess);  // it was not harmed
  gpu.wait(captured, of_cpu);
  must(cudaStreamBeginCapture(raw(captured), cudaStreamCaptureModeRelaxed));
  gpu.record(of_gpu, captured);
  expect_error<DeviceError>([&] { cpu.wait(stream, of_gpu); }, {"cuda:0", "cudaEventQuery"});
  end_capture(raw(captured));
  cpu.synchronize(stream.ref());
}

TEST_CASE("streams of the CPU wait for a GPU while another thread captures a graph") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  const FakeStream captured;
  must(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  std::thread([&] {
    const Stream stream = gpu.make_stream(), waiting = cpu.make_stream(), last = gpu.make_stream();
    const Event event = gpu.make_event(), back = cpu.make_event();
    gpu.record(event, stream);
    cpu.wait(waiting, event);
    cpu.record(back, waiting);
    gpu.wait(last, back);
    gpu.synchronize(last.ref());
  }).join();
  CHECK(end_capture(captured) == cudaSuccess);
}

TEST_CASE("copies between GPUs go directly where the hardware allows it, to and from the other GPU") {
  Device& second = cuda_device(1);
  const DeviceBuffer here = cuda_device(0).allocate(100), there = second.allocate(100);
  const Stream of_second = second.make_stream();
  for (const bool is_far_source : {false, true}) {
    const NoPeerAccess at_first;
    cuda::CudaDevice fresh(0);  // has asked for no access so far
    Device& first = fresh;
    const Stream of_first = first.make_stream();
    const auto before = cuda_fake::counts().staged_copies;
    if (is_far_source) {
      first.copy(here.data(), there.data(), 100, of_first);
    } else {
      first.copy(there.data(), here.data(), 100, of_first);
    }
    first.synchronize(of_first.ref());
    CHECK(cuda_fake::counts().staged_copies == before);
    must(cudaMemcpyAsync(here.data(), there.data(), 100, cudaMemcpyDefault, raw(of_second)));
    CHECK(cuda_fake::counts().staged_copies == before + 1);  // the other direction was not asked for
    second.synchronize(of_second.ref());
  }
}

TEST_CASE("access to another GPU is asked for once, whoever granted it, and copies do without it") {
  const std::string name = "cuda:0";
  const FakeMemory here(100);
  const CurrentDevice second(1);
  const FakeMemory there(100);
  const CurrentDevice first(0);
  const NoPeerAccess at_first;
  must(cudaDeviceEnablePeerAccess(1, 0));  // a framework did
  cuda::PeerAccess granted(0, name);
  granted.ensure(here.data());
  granted.ensure(there.data());
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  const auto before = cuda_fake::counts().calls;
  granted.ensure(there.data());
  CHECK(cuda_fake::counts().calls == before + 1);  // which asks whose memory it is
  cuda_fake::reset_peer_access();
  cuda_fake::forbid_peer_access();
  cuda::PeerAccess refused(0, name);
  refused.ensure(there.data());
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("in any order of the streams, pairs of devices keep their contract") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    cuda_fake::run_randomly(seed);
    for (const auto& pair : device_pairs()) {
      for (const PairClause& clause : pair_contract()) {
        INFO("seed " << seed << ", " << name_of(pair) << ": " << clause.name);
        clause.check(*pair.first, *pair.second);
        CHECK(cuda_fake::take_violations() == std::vector<std::string>());
      }
    }
  }
  cuda_fake::go_free();
}

TEST_CASE("in a forked process, events of the parent's are refused, and the CPU copies without CUDA",
          "[process]") {
  Device& cpu = host_device();
  Device& gpu = cuda_device(0);
  std::latch go(1);
  const Stream of_cpu = cpu.make_stream(), of_gpu = gpu.make_stream();
  const Event from_cpu = cpu.make_event(), from_gpu = gpu.make_event();
  cpu.enqueue(of_cpu, [&] { go.wait(); });
  cpu.record(from_cpu, of_cpu);
  gpu.wait(of_gpu, from_cpu);
  gpu.record(from_gpu, of_gpu);
  ChildProcess child = ChildProcess::run([&] {
    const Stream own = cpu.make_stream();
    expect_error<DeviceError>([&] { cpu.wait(own, from_cpu); }, {"another process"});
    expect_error<DeviceError>([&] { cpu.wait(own, from_gpu); }, {"cuda:0"});
    expect_error<DeviceError>([&] { gpu.wait(of_gpu, from_cpu); }, {"cuda:0"});
    const std::vector<std::byte> bytes = byte_ramp(100, 1);
    const Event event = cpu.make_event();
    cpu.record(event, own);
    cpu.wait(own, event);
    return download(own, bytes.data(), 100) == bytes ? 0 : 1;
  });
  const auto status = child.wait(10s);
  go.count_down();
  REQUIRE(status);
  CHECK(*status == 0);
  gpu.synchronize(of_gpu.ref());
}

}  // namespace
}  // namespace leat::test
