// Who this process's replicas talk to.
#pragma once

#include <memory>
#include <vector>

#include "leat/parallel/communicator.h"
#include "leat/parallel/world.h"

namespace leat::tools {

// One communicator for each of this process's `replicas`; null where there is one rank in all. Several
// replicas form a group in this process; several processes of one replica each meet at the world's master, by
// Gloo on the host and by NCCL on GPUs. Throws UsageError for what is not possible: both at once, or several
// replicas on one GPU.
std::vector<std::unique_ptr<Communicator>> make_communicators(const WorldSettings& world, int replicas,
                                                              Device& device);

// The same refusals, before any work is done.
void check_ranks(const WorldSettings& world, int replicas, DeviceKind device);

}  // namespace leat::tools
