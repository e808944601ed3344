// A communicator between processes, on CPUs, over TCP by Gloo.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"

namespace leat {

struct GlooOptions {
  std::string prefix = "gloo";                // of the keys in the store; the same on all ranks
  std::chrono::milliseconds timeout{60'000};  // of the rendezvous, and of each collective
};

// A communicator of the host device over all ranks of the store's world. Every rank makes it, and where there
// are several, all make them in the same order. Ranks reach each other at the address that leads to rank 0's,
// so that a job on 127.0.0.1 stays there. Before each collective the ranks compare what they call; so
// disagreement, and a rank that does not come, is a CommunicationError that names ranks and costs a round of
// small messages (about 0.1 ms within a host). f16 and bf16 travel as f32, which is what summing them in f32
// takes; all ranks get the same bits, but with three ranks or more the order of summation depends on an
// element's place. Throws CommunicationError where a rank does not come, and where leat was built without
// Gloo.
std::unique_ptr<Communicator> make_gloo_communicator(std::shared_ptr<TcpStore> store,
                                                     const GlooOptions& options = {});

// The same with a store of its own at the world's master address.
std::unique_ptr<Communicator> make_gloo_communicator(const WorldSettings& world,
                                                     const GlooOptions& options = {});

}  // namespace leat
