// Lists of devices to divide work among.
#pragma once

#include <c10/core/Device.h>
#include <torch/cuda.h>

#include <cstddef>
#include <iostream>
#include <vector>

namespace leat::test {

// The CPU, `count` times.
inline std::vector<::at::Device> cpus(std::size_t count) {
  return std::vector<::at::Device>(count, ::at::kCPU);
}

// `count` GPUs, in turn if there are fewer. Without any, an empty list, and the test is counted as skipped.
inline std::vector<::at::Device> gpus(std::size_t count) {
  std::vector<::at::Device> devices;
  if (!::torch::cuda::is_available()) {
    std::cout << "SKIPPED: LibTorch has no GPU\n";
    return devices;
  }
  for (std::size_t i = 0; i < count; ++i)
    devices.emplace_back(::at::kCUDA, static_cast<::at::DeviceIndex>(i % ::torch::cuda::device_count()));
  return devices;
}

}  // namespace leat::test
