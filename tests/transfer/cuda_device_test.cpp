// What holds of CUDA devices in particular; without a GPU, that asking for one is a clear error.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <iostream>
#include <latch>
#include <vector>

#include "leat/transfer/device.h"
#include "tests/support/expect_error.h"

using namespace leat;
using test::expect_error;

TEST_CASE("without a GPU the reason is told") {
  if (cuda_device_count() > 0) {
    CHECK(cuda_unavailable_reason().empty());
    return;
  }
  const std::string reason = cuda_unavailable_reason();
  CHECK_FALSE(reason.empty());
  expect_error<DeviceError>([] { cuda_device(0); }, {"cuda:0"});
}

TEST_CASE("a GPU that is not there is refused") {
  const int count = cuda_device_count();
  expect_error<DeviceError>([&] { cuda_device(count); }, {"cuda:" + std::to_string(count)});
  expect_error<DeviceError>([] { cuda_device(-1); }, {"cuda:-1"});
}

TEST_CASE("each GPU is one device, by name", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  for (int ordinal = 0; ordinal < cuda_device_count(); ++ordinal) {
    Device& device = cuda_device(ordinal);
    CHECK(&device == &cuda_device(ordinal));
    CHECK(device.kind() == DeviceKind::cuda);
    CHECK(device.name().starts_with("cuda:" + std::to_string(ordinal) + " ("));
  }
}

TEST_CASE("CUDA's default streams are taken: null, legacy and per-thread", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  Device& device = cuda_device(0);
  const DeviceBuffer buffer = device.allocate(1000);
  for (const std::uintptr_t handle : {0, 1, 2}) {  // null, cudaStreamLegacy, cudaStreamPerThread
    INFO("stream " << handle);
    const StreamRef stream(device, reinterpret_cast<void*>(handle));
    const std::vector<std::byte> source(1000, static_cast<std::byte>(handle + 1));
    const Stream other = device.make_stream();
    const Event event = device.make_event();
    int ran = 0;
    device.copy(buffer.data(), source.data(), source.size(), stream);
    device.enqueue(stream, [&] { ++ran; });
    device.record(event, stream);
    device.wait(other, event);
    std::vector<std::byte> bytes(1000);
    device.copy(bytes.data(), buffer.data(), bytes.size(), other);
    device.synchronize(other.ref());
    CHECK(bytes == source);
    CHECK(ran == 1);
    device.wait(stream, event);
    stream.synchronize();
    CHECK(device.passed(event));
  }
  CHECK(StreamRef(device, nullptr).handle() == StreamRef(device, reinterpret_cast<void*>(1)).handle());
}

TEST_CASE("a device's own streams do not wait for CUDA's default stream", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  Device& device = cuda_device(0);
  const StreamRef legacy(device, nullptr);
  const Stream own = device.make_stream();
  const DeviceBuffer buffer = device.allocate(8);
  const Event filled = device.make_event();
  std::latch go(1);
  device.enqueue(legacy, [&] { go.wait(); });
  device.fill_zero(buffer.data(), buffer.size(), own);
  device.record(filled, own);
  bool passed = false;  // the bound is met only if the streams do wait for each other
  for (int polls = 0; !passed && polls < 1'000'000; ++polls) passed = device.passed(filled);
  go.count_down();
  legacy.synchronize();
  CHECK(passed);
}

TEST_CASE("CUDA says how much it could not allocate", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  Device& device = cuda_device(0);
  constexpr std::size_t kTooMuch = std::size_t{1} << 50;
  expect_error<DeviceError>([&] { static_cast<void>(device.allocate(kTooMuch)); },
                            {device.name(), "cudaMalloc of 1125899906842624 bytes"});
  CHECK(device.allocate(1).size() == 1);
}

TEST_CASE("a host stream is no stream of a GPU", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  const Stream stream = host_device().make_stream();
  expect_error<DeviceError>([&] { cuda_device(0).synchronize(stream.ref()); }, {"stream of cpu"});
}
