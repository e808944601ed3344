// Groups of ranks, and exchanges of two ranks, over NCCL on fake GPUs.
#include <catch2/catch_test_macros.hpp>

#include "leat/parallel/world.h"
#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;
using cuda_fake::fake_nccl;

TEST_CASE("groups of GPUs are made at the same time, and exchange data in two directions") {
  fake_nccl().reset();
  const std::uint16_t port = free_port();
  run_ranks(4, [&](int rank) {
    const World world(loopback_world(rank, 4, port), 20s);
    Device& device = cuda_device(rank);
    const bool low = rank < 2;
    const auto half = world.group(low ? std::vector{0, 1} : std::vector{2, 3}, device);
    const auto across = world.group(low ? std::vector{rank, rank + 2} : std::vector{rank - 2, rank}, device);
    const auto back = world.group(low ? std::vector{rank, rank + 2} : std::vector{rank - 2, rank}, device);
    expect(half->engine().starts_with("nccl"), "NCCL, not " + half->engine());
    const Stream stream = device.make_stream(), other = device.make_stream();
    DeviceValues<float> sum(stream, {static_cast<float>(rank)}), got(other, {-1});
    half->all_reduce(sum.span(), ReduceOp::sum, stream);
    if (low) {
      across->send(sum.span(), 1, stream);
      back->recv(got.span(), 1, other);
    } else {
      back->send(sum.span(), 0, stream);
      across->recv(got.span(), 0, other);
    }
    expect_equal(sum.read(stream)[0], low ? 1.0F : 5.0F, "the sum of the half");
    expect_equal(got.read(other)[0], low ? 5.0F : 1.0F, "the sum of the other half");
    for (Communicator* group : {half.get(), across.get(), back.get()}) group->barrier();
  });
  CHECK(fake_nccl().aborted == 0);
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("an abort lets a stream go on that waits for a peer to receive") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = nccl_group(stores, 10s);
  const Stream stream = cuda_device(0).make_stream();
  const DeviceValues<float> values(stream, std::vector<float>(4));
  const Event end = cuda_device(0).make_event();
  group[0]->send(values.span(), 1, stream);
  cuda_device(0).record(end, stream);
  CHECK_FALSE(cuda_device(0).passed(end));
  group[0]->abort("enough");
  expect_error<CommunicationError>([&] { cuda_device(0).synchronize(end.ref()); }, {"enough"});
  group[1]->abort("");
}

}  // namespace
}  // namespace leat::test
