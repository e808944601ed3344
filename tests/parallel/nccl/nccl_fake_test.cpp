// The NCCL communicator over a fake library: everything but NCCL and the GPU.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "leat/parallel/gradient_reducer.h"
#include "leat/parallel/nccl/nccl_communicator_impl.h"
#include "tests/parallel/nccl/fake_nccl.h"
#include "tests/parallel/support/communicator_contract.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

std::unique_ptr<Communicator> make(const std::shared_ptr<TcpStore>& store,
                                   std::chrono::milliseconds timeout) {
  return std::make_unique<NcclCommunicator>(fake_nccl_api(), store, host_device(),
                                            NcclOptions{.timeout = timeout});
}

Group nccl_group(const Stores& stores, std::chrono::milliseconds timeout) {
  Group group(stores.size());
  run_ranks(static_cast<int>(stores.size()), [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    group[r] = make(stores[r], timeout);
  });
  return group;
}

const GroupMaker kNccl = [](int ranks, std::chrono::milliseconds timeout) {
  return nccl_group(loopback_stores(ranks), timeout);
};

TEST_CASE("the NCCL communicator keeps the contract over a fake library") {
  fake_nccl().reset();
  const int ranks = GENERATE(1, 2, 4);
  const int polls = GENERATE(0, 1, 3);
  INFO(ranks << " ranks, " << polls << " polls in progress");
  fake_nccl().polls_in_progress = polls;
  contract::maxima(kNccl, ranks);
  contract::all_ranks_hold_the_same_bits(kNccl, ranks);
  contract::broadcast_from_every_root(kNccl, ranks);
  contract::gather_in_rank_order(kNccl, ranks);
  contract::calls_keep_their_order_across_streams(kNccl, ranks);
  if (ranks == 1) contract::bad_arguments_are_refused(kNccl);
  CHECK(fake_nccl().calls_while_busy == 0);
  CHECK(fake_nccl().aborted == 0);
  CHECK(fake_nccl().finalized == fake_nccl().created.load());
  CHECK(fake_nccl().destroyed == fake_nccl().created.load());
}

TEST_CASE("the NCCL communicator sums over a fake library") {
  fake_nccl().reset();
  contract::sums_are_exact(kNccl, 2);
  contract::sixteen_bit_sums_are_rounded_once(kNccl, 3);
  contract::barrier_separates(kNccl, 3);
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
                                   {"ncclCommInitRankConfig", "invalid usage", "Duplicate GPU detected"});
  CHECK(fake_nccl().created == 0);
  CHECK(fake_nccl().aborted == 0);
}

TEST_CASE("ranks that NCCL cannot connect are given up after the timeout") {
  fake_nccl().reset();
  fake_nccl().hang = true;
  const Stores stores = loopback_stores(1);
  expect_error<CommunicationError>([&] { make(stores[0], 50ms); }, {"ncclCommInitRankConfig", "50 ms"});
  CHECK(fake_nccl().aborted == 1);
}

TEST_CASE("a rank without rank 0's id gives up after the timeout") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  expect_error<CommunicationError>([&] { make(stores[1], 50ms); }, {"nccl/1/id", "50 ms"});
}

TEST_CASE("a collective that NCCL refuses ends the communicator") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  const auto communicator = make(stores[0], 10s);
  const Stream stream = host_device().make_stream();
  std::vector<float> values(4);
  const TensorSpan span{.data = values.data(), .count = 4, .dtype = DType::f32};
  fake_nccl().call_result = ncclInvalidUsage;
  expect_error<CommunicationError>([&] { communicator->all_reduce(span, ReduceOp::sum, stream); },
                                   {"ncclAllReduce", "invalid usage", "Duplicate GPU"});
  CHECK(fake_nccl().aborted == 1);
  fake_nccl().call_result = ncclSuccess;  // it stays dead
  expect_error<CommunicationError>([&] { communicator->barrier(); }, {"ncclAllReduce", "invalid usage"});
}

TEST_CASE("an asynchronous error ends a barrier") {
  fake_nccl().reset();
  Stores stores = loopback_stores(2);
  Group group = nccl_group(stores, 10s);
  fake_nccl().async_result = ncclRemoteError;  // rank 1 never comes
  expect_error<CommunicationError>([&] { group[0]->barrier(); }, {"barrier", "remote process exited"});
  CHECK(fake_nccl().aborted == 1);
  fake_nccl().async_result = ncclSuccess;
}

TEST_CASE("a barrier without a rank ends after the timeout, and the others are told") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(3);
  Group group = nccl_group(stores, 10s);
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

TEST_CASE("abort wakes a thread that waits for NCCL") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  const auto communicator = make(stores[0], 20s);
  const Stream stream = host_device().make_stream();
  std::vector<float> values(4);
  fake_nccl().hang = true;
  const auto errors = errors_of_ranks(2, [&](int role) {
    if (role == 0) {
      communicator->all_reduce({values.data(), 4, DType::f32}, ReduceOp::sum, stream);
    } else {
      communicator->abort("enough");
    }
  });
  INFO(errors[0]);
  CHECK(errors[0].find("enough") != std::string::npos);
  CHECK(fake_nccl().aborted == 1);
}

TEST_CASE("gradients are reduced through the NCCL communicator") {
  fake_nccl().reset();
  fake_nccl().polls_in_progress = 1;
  const Stores stores = loopback_stores(2);
  const Group group = nccl_group(stores, 20s);
  std::vector<float> results(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    float w = rank == 0 ? 1.0F : 77.0F;
    GradientReducer reducer(*group[r],
                            {{.name = "w", .value = {.data = &w, .dtype = DType::f32, .shape = {1}}}});
    expect_equal(w, 1.0F, "rank 0's weight");
    auto* gradient = static_cast<float*>(reducer.gradient(0).data);
    *gradient = rank == 0 ? -1.0F : -13.0F;
    const Stream stream = host_device().make_stream();
    reducer.mark_ready(0, stream);
    reducer.finish(stream);
    stream.ref().synchronize();
    results[r] = *gradient;
  });
  CHECK(results == std::vector<float>{-14, -14});
}

TEST_CASE("NCCL joins CUDA devices only") {
  expect_error<ArgumentError>([] { make_nccl_communicator(std::shared_ptr<TcpStore>(), host_device()); },
                              {"not cpu", "Gloo"});
}

}  // namespace
}  // namespace leat::test
