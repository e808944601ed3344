// Replicas of one process as the ranks of a group, without any launcher.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "leat/parallel/communicator.h"

namespace leat {

// One communicator for each rank, to be used from different threads or streams. Sums are computed in rank
// order, so results have the same bits on all ranks, in every run, and however the elements are cut into
// buckets. Nobody waits longer than `timeout` for a rank; the error names those that are missing. A
// communicator that is destroyed, its calls done, leaves the group: then the others' next call fails. The
// device is a host device for now; throws ArgumentError for any other, and for fewer than one rank.
std::vector<std::unique_ptr<Communicator>> make_local_group(
    int ranks, Device& device = host_device(), std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace leat
