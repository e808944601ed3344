// How the NCCL communicator takes what goes wrong, on fake GPUs.
#include <catch2/catch_test_macros.hpp>

#include "leat/parallel/nccl/nccl_communicator_impl.h"
#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/device_values.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using cuda_fake::fake_nccl;

std::unique_ptr<Communicator> make(const std::shared_ptr<TcpStore>& store, std::chrono::milliseconds timeout,
                                   int device = 0) {
  return make_nccl_communicator(store, cuda_device(device), {.timeout = timeout});
}

TEST_CASE("the engine's name holds NCCL's version") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  CHECK(make(stores[0], 10s)->engine() == "nccl 2.28.9");
}

TEST_CASE("an error at the start is NCCL's text, and leaves nothing behind") {
  fake_nccl().reset();
  fake_nccl().init_result = ncclInvalidUsage;
  const Stores stores = loopback_stores(1);
  expect_error<CommunicationError>([&] { make(stores[0], 10s); },
                                   {"ncclCommInitRankConfig", "invalid usage", "a test wants it so"});
  CHECK(fake_nccl().created == 0);
  CHECK(fake_nccl().aborted == 0);
}

TEST_CASE("ranks that share a GPU are refused with NCCL's text, and the other ranks are told") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(3);
  const auto errors =
      errors_of_ranks(3, [&](int rank) { make(stores[static_cast<std::size_t>(rank)], 20s, rank / 2); });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("Duplicate GPU detected : rank") != std::string::npos);
    CHECK(error.find("both on CUDA device 0") != std::string::npos);
  }
  CHECK(fake_nccl().aborted == 3);
}

TEST_CASE("ranks that NCCL cannot connect are given up after the timeout") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  expect_error<PeerSilent>([&] { make(stores[0], 50ms); },
                           {"ncclCommInitRankConfig", "50 ms", "rank 1 of 2 did not come"});
  CHECK(fake_nccl().aborted == 1);
}

TEST_CASE("a rank without rank 0's id gives up after the timeout") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  expect_error<PeerSilent>([&] { make(stores[1], 50ms); }, {"nccl/1/id", "50 ms"});
}

TEST_CASE("a collective that NCCL refuses ends the communicator") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  const auto communicator = make(stores[0], 10s);
  const Stream stream = communicator->device().make_stream();
  const DeviceValues<float> values(stream, std::vector<float>(4));
  fake_nccl().call_result = ncclInvalidUsage;
  expect_error<CommunicationError>([&] { communicator->all_reduce(values.span(), ReduceOp::sum, stream); },
                                   {"ncclAllReduce", "invalid usage", "a test wants it so"});
  CHECK(fake_nccl().aborted == 1);
  fake_nccl().call_result = ncclSuccess;  // it stays dead
  expect_error<CommunicationError>([&] { communicator->barrier(); }, {"ncclAllReduce", "invalid usage"});
}

TEST_CASE("an asynchronous error ends a barrier") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = nccl_group(stores, 10s);
  fake_nccl().async_result = ncclRemoteError;  // rank 1 never comes
  expect_error<CommunicationError>([&] { group[0]->barrier(); }, {"remote process exited"});
  CHECK(fake_nccl().aborted >= 1);  // rank 1's watchdog may have found it, too
  fake_nccl().async_result = ncclSuccess;
}

TEST_CASE("a barrier with a GPU that hangs ends after the timeout, and the streams go on") {
  fake_nccl().reset();
  fake_nccl().dead_rank = 1;
  const Stores stores = loopback_stores(2);
  const Group group = nccl_group(stores, 200ms);
  const auto errors = errors_of_ranks(2, [&](int rank) { group[static_cast<std::size_t>(rank)]->barrier(); });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("barrier #0 did not end within 200 ms") != std::string::npos);
  }
  CHECK(fake_nccl().aborted == 2);
}

TEST_CASE("a barrier without a rank ends when that rank gives up, and the others are told") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(3);
  const Group group = nccl_group(stores, 10s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    if (rank == 0) {
      group[0]->barrier();
    } else {
      group[1]->abort("the disk is full");
    }
  });
  INFO(errors[0]);
  CHECK(errors[0].find("rank 1: the disk is full") != std::string::npos);
  CHECK(errors[1].empty());
  expect_error<CommunicationError>([&] { group[1]->barrier(); }, {"the disk is full"});
}

TEST_CASE("abort wakes a thread that waits for NCCL to accept a call") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  const auto communicator = make(stores[0], 20s);
  const Stream stream = communicator->device().make_stream();
  const DeviceValues<float> values(stream, std::vector<float>(4));
  fake_nccl().hang = true;
  const auto errors = errors_of_ranks(2, [&](int role) {
    if (role == 0) {
      communicator->all_reduce(values.span(), ReduceOp::sum, stream);
    } else {
      communicator->abort("enough");
    }
  });
  INFO(errors[0]);
  CHECK(errors[0].find("enough") != std::string::npos);
  CHECK(fake_nccl().aborted == 1);
  expect_error<CommunicationError>([&] { stream.ref().synchronize(); }, {"enough"});
}

TEST_CASE("abort lets a stream go on that waits for the other ranks") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = nccl_group(stores, 10s);
  const Stream stream = cuda_device(0).make_stream();
  const DeviceValues<float> values(stream, std::vector<float>(4));
  const Event end = cuda_device(0).make_event();
  group[0]->all_reduce(values.span(), ReduceOp::sum, stream);
  cuda_device(0).record(end, stream);
  CHECK_FALSE(cuda_device(0).passed(end));
  group[0]->abort("enough");
  expect_error<CommunicationError>([&] { cuda_device(0).synchronize(end.ref()); }, {"enough"});
  CHECK(cuda_device(0).passed(end));
  group[1]->abort("");
}

TEST_CASE("a communicator is one of its own device, whichever is current") {
  fake_nccl().reset();
  const Group group = nccl_ranks(2, 10s);
  std::vector<std::vector<float>> sums(2);
  run_ranks(2, [&](int rank) {  // device 0 is current on both threads
    const auto r = static_cast<std::size_t>(rank);
    Device& device = group[r]->device();
    DeviceValues<float> values(StreamRef(device, nullptr), {static_cast<float>(rank) + 1});
    group[r]->all_reduce(values.span(), ReduceOp::sum, StreamRef(device, device.default_stream()));
    sums[r] = values.read(StreamRef(device, device.default_stream()));
  });
  CHECK(sums == std::vector<std::vector<float>>{{3}, {3}});
}

TEST_CASE("NCCL joins CUDA devices only") {
  expect_error<ArgumentError>([] { make_nccl_communicator(std::shared_ptr<TcpStore>(), host_device()); },
                              {"not cpu", "Gloo"});
}

}  // namespace
}  // namespace leat::test
