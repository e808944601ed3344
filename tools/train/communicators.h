// The communicators of this process's replicas.
#pragma once

#include <memory>
#include <vector>

#include "leat/parallel/communicator.h"
#include "leat/parallel/world.h"

namespace leat::tools {

// Makes one communicator for each of this process's `replicas`, or null if there is only one rank. Several replicas
// form a group in this process. Several processes of one replica each meet at the world's master, and communicate by
// Gloo on the host and by NCCL on GPUs. Throws UsageError for what is not possible: both at once, or several replicas
// on one GPU.
std::vector<std::unique_ptr<Communicator>> make_communicators(const WorldSettings& world, int replicas,
                                                              Device& device);

// Throws the same errors, before any work is done.
void check_ranks(const WorldSettings& world, int replicas, DeviceKind device);

}  // namespace leat::tools
