/// \file
/// Communicators between the replicas in one process, which need no launcher.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"

namespace leat {

/// Returns one communicator for each rank. Each is used from a thread or a stream of its own.
///
/// Sums are computed in rank order, so results have the same bits on all ranks and in every run, however the elements
/// are divided into calls. A call waits at most `timeout` for the other ranks; the error names those that are missing.
/// Destroying a communicator removes its rank from the group: the next call of each other rank throws PeerLost.
///
/// Throws ArgumentError for fewer than one rank or more than 4096, and for a device that is not the host.
LEAT_EXPORT std::vector<std::unique_ptr<Communicator>> make_local_group(
    int ranks, Device& device = host_device(), std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace leat
