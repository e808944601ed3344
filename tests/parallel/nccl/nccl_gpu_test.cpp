// One rank over the real NCCL: all of the path but the network.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "leat/parallel/gradient_reducer.h"
#include "leat/parallel/nccl_communicator.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("one NCCL rank sums, broadcasts, gathers and reduces gradients", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  Device& device = cuda_device(0);
  const auto communicator = make_nccl_communicator(loopback_world(0, 1), device);
  INFO(communicator->engine());
  const Stream stream = device.make_stream();
  const std::vector<float> wanted{1, 2, 3, 4};
  const DeviceBuffer memory = device.allocate(4 * sizeof(float));
  const DeviceBuffer gathered = device.allocate(4 * sizeof(float));
  const TensorSpan span{.data = memory.data(), .count = 4, .dtype = DType::f32};
  device.copy(memory.data(), wanted.data(), 4 * sizeof(float), stream);
  communicator->all_reduce(span, ReduceOp::sum, stream);
  communicator->broadcast(span, 0, stream);
  communicator->all_gather(span, {.data = gathered.data(), .count = 4, .dtype = DType::f32}, stream);
  std::vector<float> result(4);
  device.copy(result.data(), gathered.data(), 4 * sizeof(float), stream);
  stream.ref().synchronize();
  CHECK(result == wanted);
  communicator->barrier();

  GradientReducer reducer(
      *communicator, {{.name = "w", .value = {.data = memory.data(), .dtype = DType::f32, .shape = {4}}}});
  device.copy(reducer.gradient(0).data, wanted.data(), 4 * sizeof(float), stream);
  reducer.mark_ready(0, stream);
  reducer.finish(stream);
  std::vector<float> gradient(4);
  device.copy(gradient.data(), reducer.gradient(0).data, 4 * sizeof(float), stream);
  stream.ref().synchronize();
  CHECK(gradient == wanted);
}

}  // namespace
}  // namespace leat::test
