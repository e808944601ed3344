// What holds of CUDA devices in particular; without a GPU, that asking for one is a clear error.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

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

TEST_CASE("CUDA's default streams are refused", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  Device& device = cuda_device(0);
  for (const std::uintptr_t handle : {0, 1, 2}) {  // null, cudaStreamLegacy, cudaStreamPerThread
    const StreamRef stream(device, reinterpret_cast<void*>(handle));
    expect_error<DeviceError>([&] { stream.synchronize(); }, {"default stream"});
  }
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
