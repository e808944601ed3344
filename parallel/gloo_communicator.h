/// \file
/// Communicators between processes, on CPUs, over TCP by Gloo.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"

namespace leat {

/// Options of a communicator over Gloo.
struct LEAT_EXPORT GlooOptions {
  std::string prefix = "gloo";                ///< prefix of the keys in the store; the same on all ranks
  std::chrono::milliseconds timeout{60'000};  ///< limit of the rendezvous, and of each collective
};

/// Makes a communicator of the host device over all ranks of the store's world. All ranks call it, and if they make
/// several communicators, all make them in the same order.
///
/// Each rank listens at the address from which it reaches rank 0, so that a job on 127.0.0.1 stays there. Before each
/// collective the ranks compare their calls, in a round of small messages (about 0.1 ms within a host); the error for
/// ranks that disagree or do not come names them. f16 and bf16 travel as f32, in which they are summed. All ranks get
/// the same bits; with three ranks or more, the order of summation depends on the place of an element.
///
/// Throws CommunicationError if a rank does not come in time, or if leat was built without Gloo.
LEAT_EXPORT std::unique_ptr<Communicator> make_gloo_communicator(std::shared_ptr<TcpStore> store,
                                                                 const GlooOptions& options = {});

/// Makes a communicator with a store of its own, which rank 0 serves at the world's master address.
LEAT_EXPORT std::unique_ptr<Communicator> make_gloo_communicator(const WorldSettings& world,
                                                                 const GlooOptions& options = {});

}  // namespace leat
