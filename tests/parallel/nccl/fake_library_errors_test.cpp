// The fake NCCL fails as NCCL does, and reports what NCCL would not notice.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/parallel/nccl/fake_library_support.h"

namespace leat::test {
namespace {

using cuda_fake::fake_nccl;
using Numbers = std::vector<int>;
using Names = std::vector<std::string>;

const Numbers kUndefined(FakeRank::kCount, static_cast<int>(0xcdcdcdcd));

void check_refused(ncclResult_t result, ncclResult_t expected, const FakeRank& rank,
                   const std::string& text) {
  CHECK(result == expected);
  CHECK(std::string(ncclGetLastError(rank.communicator)).find(text) != std::string::npos);
  CHECK(state_of(rank.communicator) == expected);  // the communicator is of no use any more
  const Names violations = cuda_fake::take_violations();
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find(text) != std::string::npos);
}

TEST_CASE("the fake NCCL takes memory and streams of the communicator's device only") {
  FakeRanks ranks(2);
  FakeRank& rank = ranks[0];
  const auto all_reduce = [&](void* memory, std::size_t count, cudaStream_t stream) {
    return ncclAllReduce(memory, memory, count, ncclInt32, ncclSum, rank.communicator, stream);
  };
  Numbers host(FakeRank::kCount);
  SECTION("host memory") {
    check_refused(all_reduce(host.data(), 8, rank.stream), ncclInvalidArgument, rank, "not device memory");
  }
  SECTION("another device's memory") {
    check_refused(all_reduce(ranks[1].memory.data(), 8, rank.stream), ncclInvalidArgument, rank,
                  "memory of device 1, and the communicator is one of device 0");
  }
  SECTION("too much memory") {
    check_refused(all_reduce(rank.memory.data(), 9, rank.stream), ncclInvalidArgument, rank,
                  "are more than were allocated");
  }
  SECTION("another device's stream") {
    check_refused(all_reduce(rank.memory.data(), 8, ranks[1].stream), ncclUnhandledCudaError, rank,
                  "the stream is one of device 1, and the communicator is one of device 0");
  }
  SECTION("a stream that captures") {
    must(cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeRelaxed));
    check_refused(rank.all_reduce(), ncclInvalidUsage, rank, "captures no collectives");
    CHECK(end_capture(rank.stream) == cudaSuccess);
  }
  CHECK(cuda_fake::queued(rank.stream).empty());
}

TEST_CASE("null is the legacy stream of the communicator's device, whichever is current") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce(nullptr));
  must(ranks[1].all_reduce(nullptr));
  CHECK(cuda_fake::queued(ranks[1].stream).empty());
  const CurrentDevice second(1);
  must(cudaStreamSynchronize(nullptr));
  CHECK(ranks[1].read() == Numbers(FakeRank::kCount, 10));
}

TEST_CASE("the fake NCCL refuses two ranks on one device, and leaves the others waiting") {
  fake_nccl().reset();
  const ncclUniqueId id = new_id();
  const ncclComm_t first = join(id, 3, 0);
  CHECK(state_of(first) == ncclInProgress);
  ncclComm_t third = nullptr;
  {
    const CurrentDevice current(1);
    third = join(id, 3, 2);
  }
  ncclComm_t second = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  CHECK(ncclCommInitRankConfig(&second, 3, id, 1, &config) == ncclInvalidUsage);
  CHECK(state_of(first) == ncclInvalidUsage);
  CHECK(state_of(third) == ncclInProgress);
  CHECK(std::string(ncclGetLastError(first)) ==
        "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 0");
  for (const ncclComm_t each : {first, second, third}) must(ncclCommAbort(each));
}

TEST_CASE("a fake communicator is not used before its last operation has ended") {
  FakeRanks ranks(1);
  fake_nccl().polls_in_progress = 2;
  CHECK(ranks[0].all_reduce() == ncclInProgress);
  CHECK(ranks[0].all_reduce() == ncclInvalidArgument);
  CHECK(fake_nccl().calls_while_busy == 1);
}

TEST_CASE("a fake communicator that is finalized waits for its collectives") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  CHECK(ncclCommFinalize(ranks[0].communicator) == ncclInProgress);
  CHECK(state_of(ranks[0].communicator) == ncclInProgress);
  must(ranks[1].all_reduce());
  must(cudaStreamSynchronize(ranks[0].stream));
  CHECK(state_of(ranks[0].communicator) == ncclSuccess);
  must(ncclCommDestroy(std::exchange(ranks[0].communicator, nullptr)));
}

TEST_CASE("a fake communicator that is destroyed in the middle of a collective is reported") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  const ncclComm_t gone = std::exchange(ranks[0].communicator, nullptr);
  must(ncclCommDestroy(gone));
  CHECK(ncclCommAbort(gone) == ncclInvalidArgument);
  CHECK(cuda_fake::take_violations() ==
        Names{"ncclCommDestroy: a collective has not ended", "ncclCommAbort: the communicator is gone"});
  must(ranks[1].all_reduce());
  ranks.synchronize();
}

TEST_CASE("aborting a fake communicator lets its own stream go on, with an undefined result") {
  FakeRanks ranks(2);
  fake_nccl().dead_rank = 1;
  must(ranks[0].all_reduce());
  must(ranks[1].all_reduce());
  ranks[0].abort();
  CHECK(ranks[0].read() == kUndefined);
  CHECK(cudaStreamQuery(ranks[1].stream) == cudaErrorNotReady);
  cudaGetLastError();
  ranks[1].abort();
  CHECK(ranks[1].read() == kUndefined);
}

TEST_CASE("aborting a fake communicator leaves the result of a collective that has ended") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  must(ranks[1].all_reduce());
  must(cudaStreamSynchronize(ranks[0].stream));
  ranks[0].abort();
  CHECK(ranks[0].read() == Numbers(FakeRank::kCount, 10));
  CHECK(ranks[1].read() == Numbers(FakeRank::kCount, 10));
}

TEST_CASE("the peers of an aborted fake communicator find an asynchronous error, if they notice") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  SECTION("they do") {
    fake_nccl().peers_notice_aborts = true;
    ranks[1].abort();
    CHECK(state_of(ranks[0].communicator) == ncclRemoteError);
  }
  SECTION("they do not") {
    ranks[1].abort();
    CHECK(state_of(ranks[0].communicator) == ncclSuccess);
  }
  CHECK(ranks[0].all_reduce() == state_of(ranks[0].communicator));
}

TEST_CASE("fake ranks that call different collectives are reported, and wait for ever") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  must(ranks[1].broadcast(0));
  CHECK(cuda_fake::take_violations() ==
        Names{"rank 1 calls broadcast of 8 i32 from rank 0 where another rank calls all_reduce of 8 i32"});
  ranks[1].abort();
  CHECK(ranks[1].read() == kUndefined);
}

TEST_CASE("a function of the fake NCCL that fails or hangs on one rank does so on that rank only") {
  FakeRanks ranks(2);
  fake_nccl().fail_at("ncclAllReduce", 0, ncclSystemError);
  fake_nccl().fail_at("ncclBroadcast", 1, ncclInProgress);
  must(ranks[1].all_reduce());
  CHECK(ranks[0].all_reduce() == ncclSystemError);
  CHECK(state_of(ranks[0].communicator) == ncclSystemError);
  CHECK(state_of(ranks[1].communicator) == ncclSuccess);
  CHECK(ranks[1].broadcast(0) == ncclInProgress);
  for (int poll = 0; poll < 10; ++poll) CHECK(state_of(ranks[1].communicator) == ncclInProgress);
  ranks[0].abort();
  ranks[1].abort();
  CHECK(ranks[1].read() == kUndefined);  // of the all-reduce
}

TEST_CASE("a GPU that is lost in the middle of a fake collective drops it") {
  FakeRanks ranks(2);
  must(ranks[0].all_reduce());
  cuda_fake::lose(cudaErrorIllegalAddress);
  CHECK(ranks[1].all_reduce() == ncclUnhandledCudaError);
  cuda_fake::recover();
  cudaGetLastError();
  CHECK(cuda_fake::queued(ranks[0].stream).empty());
  const FakeStream other;  // its order is known, and is checked, though the collective never ended
  cuda_fake::use(ranks[0].stream, ranks[0].memory.data(), 1, cuda_fake::Access::write);
  cuda_fake::use(other, ranks[0].memory.data(), 1, cuda_fake::Access::write);
  const Names violations = cuda_fake::take_violations();
  CHECK(!violations.empty());
  ranks.synchronize();
  must(cudaStreamSynchronize(other));
}

}  // namespace
}  // namespace leat::test
