/// \file
/// Communicators between GPUs, one rank for each GPU, by NCCL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"

namespace leat {

/// Options of a communicator over NCCL.
struct LEAT_EXPORT NcclOptions {
  /// Prefix of the keys in the store; the same on all ranks.
  std::string prefix = "nccl";
  /// Limit of the rendezvous, of barrier(), and of the time in which NCCL accepts a call.
  std::chrono::milliseconds timeout{60'000};
};

/// Makes a communicator of `device`, a CUDA device, over all ranks of the store's world. All ranks call it, and if they
/// make several communicators, all make them in the same order.
///
/// NCCL's library, libnccl.so.2, is opened on first use. NCCL has no timeouts: a collective whose peers do not come
/// stays on its stream until abort() or a failed barrier() ends it. NCCL rounds sums of f16 and bf16 at each step, not
/// once. It computes averages as it chooses (ncclAvg): dividing before the sum or after it, so the last bits may differ
/// from those of other communicators. The first send() or recv() between two ranks connects them, for which it may
/// block the calling thread until the peer calls its counterpart.
///
/// Throws CommunicationError if NCCL's library is missing, if a rank does not come in time, or if leat was built
/// without NCCL; ArgumentError if `device` is not a CUDA device.
LEAT_EXPORT std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<TcpStore> store,
                                                                 Device& device,
                                                                 const NcclOptions& options = {});

/// Makes a communicator with a store of its own, which rank 0 serves at the world's master address.
LEAT_EXPORT std::unique_ptr<Communicator> make_nccl_communicator(const WorldSettings& world, Device& device,
                                                                 const NcclOptions& options = {});

}  // namespace leat
