// A communicator between GPUs by NCCL, one rank for each GPU.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"

namespace leat {

struct NcclOptions {
  std::string prefix = "nccl";                // of the keys in the store; the same on all ranks
  std::chrono::milliseconds timeout{60'000};  // of the rendezvous, of barrier(), and of NCCL accepting a call
};

// A communicator of `device`, a CUDA device, over all ranks of the store's world. Every rank makes it, and where
// there are several, all make them in the same order. NCCL's library (libnccl.so.2) is opened on first use. NCCL
// itself knows no timeouts: a collective whose peers do not come stays on its stream until abort() or a failed
// barrier() ends it. It rounds sums of f16 and bf16 at each step, not once. Throws CommunicationError where NCCL or a
// rank is missing, and where leat was built without NCCL; ArgumentError for another kind of device.
std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<TcpStore> store, Device& device,
                                                     const NcclOptions& options = {});

// The same with a store of its own at the world's master address.
std::unique_ptr<Communicator> make_nccl_communicator(const WorldSettings& world, Device& device,
                                                     const NcclOptions& options = {});

}  // namespace leat
