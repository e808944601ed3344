// Several copies in one call of the fake CUDA runtime: by the device, and by the prefetcher.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/transfer/cuda/cuda_device.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_source.h"
#include "tests/transfer/support/uneven_dataset.h"

namespace leat::test {
namespace {

struct Calls {
  std::size_t batches = 0, copies = 0;
  friend bool operator==(const Calls&, const Calls&) = default;
};

// Returns how many copies `body` makes, and how many calls for several of them.
template <class Body>
Calls calls_of(Body body) {
  const auto before = cuda_fake::counts();
  body();
  const auto after = cuda_fake::counts();
  return {after.copy_batches - before.copy_batches, after.copies - before.copies};
}

// Four bytes in two halves, with nothing between them.
struct Halves {
  explicit Halves(Device& device) : from(device.allocate_pinned(4)), to(device.allocate(4)) {
    std::ranges::copy(byte_ramp(4, 1), from.data());
  }
  std::vector<MemoryCopy> copies() const {
    return {{to.data(), from.data(), 2},
            {to.data() + 2, from.data() + 2, 0},
            {to.data() + 2, from.data() + 2, 2}};
  }
  PinnedBuffer from;
  DeviceBuffer to;
};

TEST_CASE("several copies are one call, and those of nothing are left out") {
  Device& device = cuda_device(0);
  const Halves halves(device);
  const Stream stream = device.make_stream();
  const StreamRef of_thread(device, cudaStreamPerThread);
  for (const StreamRef each : {stream.ref(), of_thread}) {
    CHECK(calls_of([&] { device.copy_all(halves.copies(), each); }) == Calls{1, 2});
    CHECK(download(each, halves.to.data(), 4) == byte_ramp(4, 1));
  }
}

TEST_CASE("a single copy, and copies on the legacy stream, are calls of their own") {
  Device& device = cuda_device(0);
  const Halves halves(device);
  const Stream stream = device.make_stream();
  const auto all = halves.copies();
  CHECK(calls_of([&] { device.copy_all(std::span(all).first(2), stream); }) == Calls{0, 1});
  stream.ref().synchronize();
  const StreamRef legacy(device, nullptr);
  CHECK(calls_of([&] { device.copy_all(all, legacy); }) == Calls{0, 2});
  CHECK(download(legacy, halves.to.data(), 4) == byte_ramp(4, 1));
}

TEST_CASE("copies that are captured into a graph are replayed with it") {
  Device& device = cuda_device(0);
  const Halves halves(device);
  const Stream stream = device.make_stream();
  auto* const raw = static_cast<cudaStream_t>(stream.ref().handle());
  const FakeGraph graph(raw, [&] {
    CHECK(calls_of([&] { device.copy_all(halves.copies(), stream); }) == Calls{0, 2});
  });
  device.fill_zero(halves.to.data(), 4, stream);
  graph.launch(raw);
  CHECK(download(stream, halves.to.data(), 4) == byte_ramp(4, 1));
}

TEST_CASE("a call for several copies that fails is named, with the bytes of all") {
  Device& device = cuda_device(0);
  const Halves halves(device);
  const Stream stream = device.make_stream();
  cuda_fake::fail_call(1, cudaErrorLaunchFailure, "cudaMemcpyBatchAsync");
  expect_error<DeviceError>([&] { device.copy_all(halves.copies(), stream); },
                            {"cuda:0", "cudaMemcpyBatchAsync", "4 bytes", "cudaErrorLaunchFailure"});
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("several copies give the stream's GPU access to the memory of another one, at either end") {
  cuda_device(0);  // access is asked for once the program uses two GPUs
  cuda_device(1);
  for (const bool is_far_source : {false, true}) {
    INFO("the other GPU's memory is the " << (is_far_source ? "source" : "target"));
    const NoPeerAccess at_first;
    leat::detail::cuda::CudaDevice fresh(0);  // has asked for no access so far
    Device& device = fresh;
    const DeviceBuffer here = device.allocate(4), there = cuda_device(1).allocate(4);
    const Stream stream = device.make_stream();
    const DeviceBuffer& from = is_far_source ? there : here;
    const DeviceBuffer& to = is_far_source ? here : there;
    const MemoryCopy copies[] = {{here.data() + 2, here.data() + 3, 1}, {to.data(), from.data(), 1}};
    const auto before = cuda_fake::counts().staged_copies;
    device.copy_all(copies, stream);
    stream.ref().synchronize();
    CHECK(cuda_fake::counts().staged_copies == before);
  }
}

TEST_CASE("a batch that goes to two GPUs is one call for each of them") {
  ScriptedSource source({.batches = 6});
  const Stream first = cuda_device(0).make_stream(), second = cuda_device(1).make_stream();
  const std::vector<StreamRef> streams{first, second};
  Prefetcher feed(source.source(), {cuda_device(0), cuda_device(1)});
  const Calls calls = calls_of([&] {
    for ([[maybe_unused]] const auto& parts : feed.epoch(0, streams)) continue;
  });
  CHECK(calls == Calls{11, 22});  // the last batch has one row; there are two fields
}

TEST_CASE("a batch with ragged fields is one call, and a batch that is copied whole a plain copy") {
  const UnevenDataset data(24);
  DataLoader loader(data, {.batch_size = 6});
  const Stream stream = cuda_device(0).make_stream();
  Prefetcher feed(loader, cuda_device(0));
  CHECK(calls_of([&] {
          for ([[maybe_unused]] const DeviceBatch& batch : feed.epoch(0, stream)) continue;
        }) == Calls{4, 16});  // two fields, values and offsets
  ScriptedSource whole({.batches = 4});
  Prefetcher plain(whole.source(), cuda_device(0));
  CHECK(calls_of([&] {
          for ([[maybe_unused]] const DeviceBatch& batch : plain.epoch(0, stream)) continue;
        }) == Calls{0, 4});
}

// Loads an epoch with ragged fields on two GPUs; returns the error, empty if there was none.
std::string load_on_both() {
  const UnevenDataset data(24);
  DataLoader loader(data, {.batch_size = 6});
  try {
    const Stream first = cuda_device(0).make_stream(), second = cuda_device(1).make_stream();
    const std::vector<StreamRef> streams{first, second};
    Prefetcher feed(loader, {cuda_device(0), cuda_device(1)});
    for ([[maybe_unused]] const auto& parts : feed.epoch(0, streams)) continue;
    for (const StreamRef stream : streams) stream.synchronize();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("whichever call for the copies of a batch fails, the error names it and everything is given back") {
  CHECK(load_on_both().empty());
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::size_t failures = 0;
  for (std::size_t n = 1;; ++n) {
    INFO("call " << n);
    cuda_fake::fail_call(n, cudaErrorLaunchFailure, "cudaMemcpyBatchAsync");
    const std::string error = load_on_both();
    const bool has_failed = !cuda_fake::failed_call().empty();
    cuda_fake::recover();
    CHECK(cuda_fake::holdings() == before);
    CHECK(cuda_fake::take_violations() == std::vector<std::string>());
    if (!has_failed) break;
    ++failures;
    CHECK(error.find("cudaMemcpyBatchAsync") != std::string::npos);
  }
  CHECK(failures == 8);
}

}  // namespace
}  // namespace leat::test
