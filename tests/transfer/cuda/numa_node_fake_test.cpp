// The NUMA nodes of GPUs, over the fake CUDA runtime and this machine's PCI devices.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <filesystem>
#include <iostream>

#include "leat/loader/os/numa.h"
#include "leat/transfer/cuda/cuda_device.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {
namespace {

using leat::detail::numa_node_of_pci_device;
using leat::detail::cuda::CudaDevice;

// While it lives, every GPU has this PCI address.
struct PciAddress {
  explicit PciAddress(const std::string& address) { cuda_fake::set_pci_address(address); }
  PciAddress(const PciAddress&) = delete;
  PciAddress& operator=(const PciAddress&) = delete;
  ~PciAddress() { cuda_fake::set_pci_address({}); }
};

TEST_CASE("a GPU has the NUMA node that the system tells of its PCI device") {
  const std::filesystem::path folder = "/sys/bus/pci/devices";
  if (!std::filesystem::is_directory(folder)) {
    std::cout << "SKIPPED: this machine has no " << folder << "\n";
    return;
  }
  for (const auto& device : std::filesystem::directory_iterator(folder)) {
    const std::string name = device.path().filename();
    INFO(name);
    std::string address = name;
    std::ranges::transform(address, address.begin(), [](unsigned char c) { return std::toupper(c); });
    const PciAddress of_gpus(address);
    CHECK(CudaDevice(1).numa_node() == numa_node_of_pci_device(name));
  }
}

TEST_CASE("a GPU of which the system knows nothing has no NUMA node") {
  CHECK_FALSE(cuda_device(0).numa_node().has_value());
  for (const std::string address : {"none", "..", "FA4E:00:00.0"}) {
    const PciAddress of_gpus(address);
    CHECK_FALSE(CudaDevice(0).numa_node().has_value());
  }
}

TEST_CASE("a GPU whose PCI address is not told has no NUMA node, and leaves no error behind") {
  for (const cudaError_t error : {cudaErrorInvalidValue, cudaErrorInvalidDevice}) {
    cuda_fake::fail_call(1, error, "cudaDeviceGetPCIBusId");
    CudaDevice made(0);
    Device& device = made;
    CHECK(cuda_fake::failed_call() == "cudaDeviceGetPCIBusId");
    cuda_fake::recover();
    CHECK_FALSE(device.numa_node().has_value());
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    const Stream stream = device.make_stream();
    stream.ref().synchronize();
  }
}

TEST_CASE("a GPU that is lost is not made, whatever its NUMA node") {
  cuda_fake::lose(cudaErrorIllegalAddress);
  expect_error<DeviceError>([] { const CudaDevice device(0); }, {"cuda:0"});
  cuda_fake::recover();
}

}  // namespace
}  // namespace leat::test
