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
  /// Limit of every other collective: from its call, or from the end of the communicator's collective before it, until
  /// it has ended on its stream. What the stream does in between counts, too.
  std::chrono::milliseconds collective_timeout{600'000};
};

/// Makes a communicator of `device`, a CUDA device, over all ranks of the store's world. All ranks call it, and if they
/// make several communicators, all make them in the same order.
///
/// NCCL's library, libnccl.so.2, is opened on first use. NCCL rounds sums of f16 and bf16 at each step, not once. It
/// computes averages as it chooses (ncclAvg): dividing before the sum or after it, so the last bits may differ from
/// those of other communicators. The first send() or recv() between two ranks connects them, for which it may block the
/// calling thread until the peer calls its counterpart.
///
/// A watchdog, one thread for all such communicators of the process, follows the collectives that are on streams. If a
/// rank dies, calls abort() or gets an error of NCCL, the others learn of it through the store, within a second or two.
/// If a collective exceeds its limit, the ranks compare their last calls, which tells who is missing or who called
/// something else. Each of these ends the communicator on every rank: its streams go on, synchronize() of the streams
/// throws PeerLost, PeerSilent, Disagreement or another CommunicationError, and so does every later call.
///
/// Collectives that are captured into a CUDA graph are not followed when the graph is launched: no limit applies. If
/// the communicator fails, the stream that was captured throws, but not other streams on which the graph is launched.
///
/// Throws CommunicationError if NCCL's library is missing, if a rank does not come in time, or if leat was built
/// without NCCL; ArgumentError if `device` is not a CUDA device or a limit is not above 0.
LEAT_EXPORT std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<TcpStore> store,
                                                                 Device& device,
                                                                 const NcclOptions& options = {});

/// Makes a communicator with a store of its own, which rank 0 serves at the world's master address.
LEAT_EXPORT std::unique_ptr<Communicator> make_nccl_communicator(const WorldSettings& world, Device& device,
                                                                 const NcclOptions& options = {});

}  // namespace leat
