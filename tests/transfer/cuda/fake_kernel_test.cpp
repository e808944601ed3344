// Kernels on the fake CUDA runtime: grids, and the exchange of values within warps and blocks.
#include <cuda_runtime.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {
namespace {

constexpr unsigned kWarp = 32;

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
                   Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class T>
std::vector<T> values(const FakeMemory& memory, cudaStream_t stream) {
  const std::vector<std::byte> bytes = memory.read(stream);
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

unsigned thread_number() {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return block * blockDim.x * blockDim.y * blockDim.z +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

void number_threads(unsigned* numbers) {
  numbers[thread_number()] = thread_number() + 1;
}

void write_past(std::byte* memory, std::size_t at) {
  if (threadIdx.x == 0) memory[at] = std::byte{1};
}

void add_in_warp(unsigned* sums) {
  unsigned sum = threadIdx.x;
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0U, sum, offset);
  sums[threadIdx.x] = sum;
}

void exchange_without_partner(unsigned* sums) {
  sums[threadIdx.x] = __shfl_xor_sync(0x3U, threadIdx.x, 2);
}

// Each thread reads what the thread before it wrote, which only the barrier makes sure of.
void shift(unsigned* numbers, unsigned* shifted) {
  const unsigned i = threadIdx.x;
  numbers[i] = i * i;
  __syncthreads();
  shifted[i] = numbers[(i + blockDim.x + 1) % blockDim.x];
}

void wait_alone() {
  if (threadIdx.x == 0) __syncthreads();
  if (threadIdx.x == 1) __syncwarp(0x2U);
}

TEST_CASE("a kernel runs once for each thread of its grid") {
  const FakeStream stream;
  const dim3 blocks(3, 2, 2), threads(5, 2, 3);
  const FakeMemory memory(std::size_t{12} * 30 * sizeof(unsigned));
  must(launch(number_threads, blocks, threads, stream, reinterpret_cast<unsigned*>(memory.data())));
  const auto numbers = values<unsigned>(memory, stream);
  for (unsigned i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == i + 1);
}

TEST_CASE("a grid that no GPU can run is refused") {
  const FakeStream stream;
  unsigned* const none = nullptr;
  CHECK(launch(number_threads, dim3(0), dim3(32), stream, none) == cudaErrorInvalidConfiguration);
  CHECK(launch(number_threads, dim3(1), dim3(1025), stream, none) == cudaErrorInvalidConfiguration);
  CHECK(launch(number_threads, dim3(1, 65536), dim3(32), stream, none) == cudaErrorInvalidConfiguration);
  cudaGetLastError();
}

TEST_CASE("a kernel that writes behind its memory is reported when that is freed") {
  const FakeStream stream;
  {
    const FakeMemory memory(100);
    must(launch(write_past, dim3(1), dim3(2), stream, memory.data(), std::size_t{100}));
    must(cudaStreamSynchronize(stream));
  }
  const auto violations = cuda_fake::take_violations();
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("100 bytes") != std::string::npos);
  CHECK(violations[0].find("written behind their end") != std::string::npos);
}

TEST_CASE("the lanes of a warp exchange values") {
  const FakeStream stream;
  const FakeMemory memory(2 * kWarp * sizeof(unsigned));
  must(launch(add_in_warp, dim3(1), dim3(2 * kWarp), stream, reinterpret_cast<unsigned*>(memory.data())));
  const auto sums = values<unsigned>(memory, stream);
  for (unsigned i = 0; i < kWarp; ++i) CHECK(sums[i] == 496);
  for (unsigned i = kWarp; i < 2 * kWarp; ++i) CHECK(sums[i] == 496 + kWarp * kWarp);
}

TEST_CASE("an exchange with a lane that is not there is reported") {
  const FakeStream stream;
  const FakeMemory memory(2 * sizeof(unsigned));
  must(
      launch(exchange_without_partner, dim3(1), dim3(2), stream, reinterpret_cast<unsigned*>(memory.data())));
  must(cudaStreamSynchronize(stream));
  const auto violations = cuda_fake::take_violations();
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].find("not there") != std::string::npos);
}

TEST_CASE("a barrier of a block waits for all its threads") {
  const FakeStream stream;
  constexpr unsigned kThreads = 100;
  const FakeMemory numbers(kThreads * sizeof(unsigned)), shifted(kThreads * sizeof(unsigned));
  must(launch(shift, dim3(1), dim3(kThreads), stream, reinterpret_cast<unsigned*>(numbers.data()),
              reinterpret_cast<unsigned*>(shifted.data())));
  const auto result = values<unsigned>(shifted, stream);
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned next = (i + 1) % kThreads;
    CHECK(result[i] == next * next);
  }
}

TEST_CASE("threads that end do not keep a barrier waiting") {
  const FakeStream stream;
  must(launch(wait_alone, dim3(1), dim3(64), stream));
  must(cudaStreamSynchronize(stream));
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("a kernel that is given memory of the host loses the device") {
  const FakeStream stream;
  unsigned numbers[32] = {};
  must(launch(add_in_warp, dim3(1), dim3(32), stream, static_cast<unsigned*>(numbers)));
  CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  cuda_fake::recover();
  must(cudaStreamSynchronize(stream));
  cudaGetLastError();
}

TEST_CASE("a kernel reaches another device's memory once the two are peers", "[process]") {
  const NoPeerAccess at_first;
  const FakeStream stream;
  cudaError_t before = cudaSuccess, after = cudaSuccess;
  std::byte* far = nullptr;
  {
    const CurrentDevice second(1);
    must(cudaMalloc(reinterpret_cast<void**>(&far), kWarp * sizeof(unsigned)));
  }
  must(launch(add_in_warp, dim3(1), dim3(kWarp), stream, reinterpret_cast<unsigned*>(far)));
  before = cudaStreamSynchronize(stream);
  cuda_fake::recover();
  must(cudaDeviceEnablePeerAccess(1, 0));
  must(launch(add_in_warp, dim3(1), dim3(kWarp), stream, reinterpret_cast<unsigned*>(far)));
  after = cudaStreamSynchronize(stream);
  CHECK(before == cudaErrorIllegalAddress);
  CHECK(after == cudaSuccess);
  must(cudaFree(far));
  cudaGetLastError();
}

}  // namespace
}  // namespace leat::test
