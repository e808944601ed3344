// Exports of device batches over the fake CUDA runtime, which reports accesses that no stream orders.
#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "leat/transfer/copy_to_host.h"
#include "leat/transfer/device_dlpack.h"
#include "leat/transfer/prefetcher.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/scripted_source.h"

namespace leat::test {
namespace {

cudaStream_t handle(StreamRef stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

void use(const DlpackTensor& tensor, std::size_t bytes, StreamRef stream) {
  cuda_fake::use(handle(stream), tensor->dl_tensor.data, bytes, cuda_fake::Access::read);
}

// Loads batches of one buffer, whose tensors are used on `consumer` only, in an order of the streams drawn with `seed`.
// `destroy` deletes a tensor.
template <class Destroy>
void use_all(std::uint64_t seed, StreamRef consumer, const Destroy& destroy) {
  INFO("seed " << seed);
  cuda_fake::run_randomly(seed);
  ScriptedSource source({.batches = 6});
  Device& device = consumer.device();
  const Stream stream = device.make_stream();
  {
    Prefetcher feed(source.source(), device, {.buffers = 1});
    for (std::uint64_t number = 0; number < 6; ++number) {
      auto batch = std::make_shared<const DeviceBatch>(std::move(*feed.next(stream)));
      const std::size_t bytes = (*batch)["image"].bytes();
      DlpackTensor tensor = to_dlpack(std::move(batch), "image", consumer);
      use(tensor, bytes, consumer);
      destroy(std::move(tensor));
    }
  }
  consumer.synchronize();
  cuda_fake::go_free();
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("DLPack on CUDA: the device is the GPU's number, and the bytes are the batch's") {
  ScriptedSource source({.batches = 2});
  Device& device = cuda_device(1);
  CHECK(device.ordinal() == 1);
  const Stream stream = device.make_stream();
  Prefetcher feed(source.source(), device);
  const auto batch = std::make_shared<const DeviceBatch>(std::move(*feed.next(stream)));
  const DlpackTensor tensor = to_dlpack(batch, "image");
  CHECK(tensor->dl_tensor.device.device_type == kDLCUDA);
  CHECK(tensor->dl_tensor.device.device_id == 1);
  CHECK(tensor->dl_tensor.data == (*batch)["image"].data);
  auto expected = ScriptedSource::slot_bytes(source.layout(), 0, 0);
  expected.resize((*batch)["image"].bytes());
  CHECK((copy_to_host((*batch)["image"], stream) == expected));
}

TEST_CASE("DLPack on CUDA: another stream sees the batch, and the buffer is filled again behind its work") {
  const Stream consumer = cuda_device(0).make_stream();
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 50; ++seed)
    use_all(seed, consumer, [](DlpackTensor tensor) { tensor.reset(); });
}

TEST_CASE(
    "DLPack on CUDA: a tensor may be deleted on another thread, also of the default stream per thread") {
  const auto on_other_thread = [](DlpackTensor tensor) {
    std::jthread([last = tensor.release()] { last->deleter(last); }).join();
  };
  const StreamRef per_thread(cuda_device(0), cudaStreamPerThread);
  const StreamRef legacy(cuda_device(0), nullptr);
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 20; ++seed) {
    use_all(seed, per_thread, on_other_thread);
    use_all(seed, legacy, on_other_thread);
  }
}

}  // namespace
}  // namespace leat::test
