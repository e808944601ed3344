// What tests of the fake NCCL hold: ranks of a communicator, driven by one thread.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {

inline void must(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}

// Joins a rank to a communicator of the current device. state_of() tells the result.
inline ncclComm_t join(const ncclUniqueId& id, int ranks, int rank) {
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ncclResult_t result = ncclCommInitRankConfig(&communicator, ranks, id, rank, &config);
  if (result != ncclInProgress) must(result);
  return communicator;
}

inline ncclUniqueId new_id() {
  ncclUniqueId id{};
  must(ncclGetUniqueId(&id));
  return id;
}

inline ncclResult_t state_of(ncclComm_t communicator) {
  ncclResult_t state = ncclSuccess;
  must(ncclCommGetAsyncError(communicator, &state));
  return state;
}

// A rank of a communicator, with a stream and memory for eight i32, which hold 10 * rank. Made on the current device.
struct FakeRank {
  static constexpr std::size_t kCount = 8;
  static constexpr std::size_t kBytes = kCount * sizeof(int);

  FakeRank(const ncclUniqueId& id, int ranks, int rank)
      : communicator(join(id, ranks, rank)), memory(kBytes) {
    const std::vector<int> values(kCount, rank * 10);
    must(cudaMemcpyAsync(memory.data(), values.data(), kBytes, cudaMemcpyDefault, stream));
    must(cudaStreamSynchronize(stream));
  }
  FakeRank(const FakeRank&) = delete;
  FakeRank& operator=(const FakeRank&) = delete;
  ~FakeRank() {
    abort();
    cudaStreamSynchronize(stream);  // memory that is in use is not given back
  }

  void abort() {
    if (communicator != nullptr) ncclCommAbort(std::exchange(communicator, nullptr));
  }
  // Waits for the stream, and returns what the memory holds.
  std::vector<int> read() const {
    std::vector<int> values(kCount);
    must(cudaMemcpyAsync(values.data(), memory.data(), kBytes, cudaMemcpyDefault, stream));
    return values;
  }
  ncclResult_t all_reduce(cudaStream_t on) const {
    return ncclAllReduce(memory.data(), memory.data(), kCount, ncclInt32, ncclSum, communicator, on);
  }
  ncclResult_t all_reduce() const { return all_reduce(stream); }
  ncclResult_t broadcast(int root) const {
    return ncclBroadcast(memory.data(), memory.data(), kCount, ncclInt32, root, communicator, stream);
  }
  // Uses other memory on the rank's stream.
  void use(const FakeMemory& other, cuda_fake::Access access) const {
    cuda_fake::use(stream, other.data(), 1, access);
  }

  ncclComm_t communicator;
  FakeStream stream;
  FakeMemory memory;
};

// All ranks of a communicator. Rank n is on device n.
class FakeRanks {
 public:
  explicit FakeRanks(int ranks) {
    cuda_fake::fake_nccl().reset();
    const ncclUniqueId id = new_id();
    for (int rank = 0; rank < ranks; ++rank) {
      const CurrentDevice current(rank);
      ranks_.push_back(std::make_unique<FakeRank>(id, ranks, rank));
    }
    for (const auto& rank : ranks_) must(state_of(rank->communicator));
  }
  FakeRank& operator[](std::size_t rank) { return *ranks_[rank]; }
  void synchronize() const {
    for (const auto& rank : ranks_) must(cudaStreamSynchronize(rank->stream));
  }

 private:
  std::vector<std::unique_ptr<FakeRank>> ranks_;
};

}  // namespace leat::test
