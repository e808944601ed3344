// The fake NCCL orders the streams of its ranks as NCCL does, and is no more patient than NCCL.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/dtype.h"
#include "tests/parallel/nccl/fake_library_support.h"
#include "tests/transfer/cuda/host_word.h"

namespace leat::test {
namespace {

using cuda_fake::Access;
using cuda_fake::fake_nccl;
using Numbers = std::vector<int>;
using Names = std::vector<std::string>;

const Numbers kSum(FakeRank::kCount, 10);  // of two ranks

// Takes the violations, which must be so many.
std::string only_violation() {
  const Names violations = cuda_fake::take_violations();
  REQUIRE(violations.size() == 1);
  return violations[0];
}

TEST_CASE("a stream waits in a fake collective for the other rank's stream, but the host does not") {
  FakeRanks ranks(2);
  {
    const HeldOrder order;
    must(ranks[0].all_reduce());
    CHECK(cuda_fake::queued(ranks[0].stream) == Names{"arrive", "all_reduce"});
    CHECK(cuda_fake::step(ranks[0].stream));
    CHECK_FALSE(cuda_fake::step(ranks[0].stream));
    must(ranks[1].all_reduce());
    CHECK_FALSE(
        cuda_fake::step(ranks[0].stream));  // the other rank has called, but its stream is not there yet
    CHECK(cuda_fake::step(ranks[1].stream));
    CHECK(cuda_fake::step(ranks[0].stream));
    CHECK(cuda_fake::step(ranks[1].stream));
  }
  CHECK(ranks[0].read() == kSum);
  CHECK(ranks[1].read() == kSum);
}

TEST_CASE("collectives of a fake communicator run in order, though on two streams") {
  FakeRanks ranks(2);
  FakeStream second;
  must(ranks[0].all_reduce());
  must(ranks[0].all_reduce(second));
  {
    const HeldOrder order;
    CHECK_FALSE(cuda_fake::step(second));
  }
  must(ranks[1].all_reduce());
  must(ranks[1].all_reduce());
  must(cudaStreamSynchronize(second));
  CHECK(ranks[0].read() == Numbers(FakeRank::kCount, 20));
}

TEST_CASE("what happened before a fake all-reduce on any rank, happens before what follows on all") {
  FakeRanks ranks(2);
  const FakeMemory shared(8), other(8);
  must(ranks[0].all_reduce());
  ranks[0].use(shared, Access::read);  // before the fake has heard of the other rank's part
  ranks[1].use(shared, Access::write);
  ranks[1].use(other, Access::write);
  must(ranks[1].all_reduce());
  ranks[0].use(other, Access::read);
  CHECK(cuda_fake::take_violations().empty());
  ranks.synchronize();
}

TEST_CASE("what the host has waited for before a rank's call, happens before what follows on all ranks") {
  FakeRanks ranks(2);
  const FakeMemory shared(8);
  must(ranks[0].all_reduce());
  ranks[0].use(shared, Access::read);
  ranks[1].use(shared, Access::write);
  must(cudaStreamSynchronize(ranks[1].stream));
  must(ranks[1].all_reduce());
  CHECK(cuda_fake::take_violations().empty());
  ranks.synchronize();
}

TEST_CASE("what follows a fake all-reduce on one rank is not ordered behind what follows on another") {
  FakeRanks ranks(2);
  const FakeMemory shared(8);
  must(ranks[0].all_reduce());
  ranks[0].use(shared, Access::read);
  must(ranks[1].all_reduce());
  CHECK(cuda_fake::take_violations().empty());
  ranks[1].use(shared, Access::write);
  CHECK(only_violation().find("nothing orders them") != std::string::npos);
  ranks.synchronize();
}

TEST_CASE("a fake broadcast orders what follows behind its root's stream only") {
  FakeRanks ranks(2);
  const FakeMemory of_root(8), of_other(8);
  ranks[0].use(of_root, Access::write);
  ranks[1].use(of_other, Access::write);
  must(ranks[0].broadcast(0));
  must(ranks[1].broadcast(0));
  ranks[1].use(of_root, Access::read);
  CHECK(cuda_fake::take_violations().empty());
  ranks[0].use(of_other, Access::read);
  CHECK(only_violation().find("nothing orders them") != std::string::npos);
  CHECK(ranks[1].read() == Numbers(FakeRank::kCount, 0));
  ranks.synchronize();
}

TEST_CASE("memory of a fake collective that another stream uses is reported") {
  FakeRanks ranks(2);
  const FakeStream other;
  SECTION("it is written before") {
    cuda_fake::use(other, ranks[0].memory.data(), 1, Access::write);
  }
  must(ranks[0].all_reduce());
  SECTION("it is read before the result, and the result is used before the other rank comes") {
    cuda_fake::use(other, ranks[0].memory.data(), 1, Access::read);
  }
  must(ranks[1].all_reduce());
  SECTION("it is written after") {
    cuda_fake::use(other, ranks[0].memory.data(), 1, Access::write);
  }
  CHECK(only_violation().find("nothing orders them") != std::string::npos);
  ranks.synchronize();
  must(cudaStreamSynchronize(other));
}

TEST_CASE("work behind a fake collective is checked though the fake knows its order later only") {
  FakeRanks ranks(2);
  const FakeStream other;
  const FakeEvent reduced;
  const FakeMemory memory(8);
  must(ranks[0].all_reduce());
  must(cudaEventRecord(reduced, ranks[0].stream));
  must(cudaStreamWaitEvent(other, reduced, 0));
  cuda_fake::use(other, memory.data(), 1, Access::write);
  SECTION("on a stream that waits for one behind the collective") {
    ranks[0].use(memory, Access::read);
  }
  const FakeStream third;
  SECTION("on a stream that has nothing to do with it") {
    cuda_fake::use(third, memory.data(), 1, Access::read);
  }
  CHECK(cuda_fake::take_violations().empty());
  must(ranks[1].all_reduce());
  CHECK(only_violation().find("nothing orders them") != std::string::npos);
  ranks.synchronize();
  must(cudaStreamSynchronize(other));
  must(cudaStreamSynchronize(third));
}

TEST_CASE("what the host has waited for comes before a fake collective if a rank waits for the host first") {
  const bool host_waits = GENERATE(false, true);
  FakeRanks ranks(2);
  const FakeStream other;
  const FakeMemory memory(8);
  HostWord word(0);
  cuda_fake::use(other, memory.data(), 1, Access::write);
  CHECK(word.make_wait(ranks[0].stream, 1) == CUDA_SUCCESS);
  must(ranks[0].all_reduce());
  must(ranks[1].all_reduce());
  ranks[1].use(memory, Access::read);
  CHECK(cuda_fake::take_violations().empty());  // it is not known yet
  if (host_waits) must(cudaStreamSynchronize(other));
  word.write(1);
  ranks.synchronize();
  must(cudaStreamSynchronize(other));
  CHECK(cuda_fake::take_violations().size() == (host_waits ? 0 : 1));
}

TEST_CASE(
    "work behind a fake collective that was aborted is checked though another rank waits for the host") {
  FakeRanks ranks(2);
  const FakeStream other;
  const FakeMemory memory(8);
  HostWord word(0);
  CHECK(word.make_wait(ranks[0].stream, 1) == CUDA_SUCCESS);
  must(ranks[0].all_reduce());
  must(ranks[1].all_reduce());
  ranks[1].abort();
  must(cudaStreamSynchronize(ranks[1].stream));
  cuda_fake::use(other, memory.data(), 1, Access::write);
  ranks[1].use(memory, Access::read);
  const Names violations = cuda_fake::take_violations();
  word.write(1);
  ranks[0].abort();
  must(cudaStreamSynchronize(ranks[0].stream));
  must(cudaStreamSynchronize(other));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("nothing orders them") != std::string::npos);
}

TEST_CASE("a fake gather reads each rank's part, also in place") {
  FakeRanks ranks(2);
  const FakeMemory all(2 * FakeRank::kBytes);
  std::byte* in_place = nullptr;
  {
    const CurrentDevice second(1);
    void* memory = nullptr;
    must(cudaMalloc(&memory, 2 * FakeRank::kBytes));
    in_place = static_cast<std::byte*>(memory);
  }
  std::byte* const own = in_place + FakeRank::kBytes;
  must(cudaMemcpyAsync(own, ranks[1].memory.data(), FakeRank::kBytes, cudaMemcpyDefault, ranks[1].stream));
  must(ncclAllGather(ranks[0].memory.data(), all.data(), FakeRank::kBytes, ncclUint8, ranks[0].communicator,
                     ranks[0].stream));
  must(ncclAllGather(own, in_place, FakeRank::kBytes, ncclUint8, ranks[1].communicator, ranks[1].stream));
  Numbers expected(FakeRank::kCount, 0), gathered(2 * FakeRank::kCount);
  expected.insert(expected.end(), FakeRank::kCount, 10);
  must(cudaMemcpyAsync(gathered.data(), in_place, 2 * FakeRank::kBytes, cudaMemcpyDefault, ranks[1].stream));
  CHECK(gathered == expected);
  must(
      cudaMemcpyAsync(gathered.data(), all.data(), 2 * FakeRank::kBytes, cudaMemcpyDefault, ranks[0].stream));
  CHECK(gathered == expected);
  must(cudaFree(in_place));
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("16-bit sums of the fake NCCL are rounded at each step") {
  FakeRanks ranks(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const std::vector<Half> values(1, to_half(rank == 0 ? 1.0F : 0x1p-11F));  // of which the half is lost
    must(cudaMemcpyAsync(ranks[rank].memory.data(), values.data(), 2, cudaMemcpyDefault, ranks[rank].stream));
  }
  for (std::size_t rank = 0; rank < 3; ++rank) {
    must(ncclAllReduce(ranks[rank].memory.data(), ranks[rank].memory.data(), 1, ncclFloat16, ncclSum,
                       ranks[rank].communicator, ranks[rank].stream));
  }
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Half sum{};
    must(cudaMemcpyAsync(&sum, ranks[rank].memory.data(), 2, cudaMemcpyDefault, ranks[rank].stream));
    CHECK(to_float(sum) == 1.0F);
  }
}

}  // namespace
}  // namespace leat::test
