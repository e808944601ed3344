#include "tools/train/communicators.h"

#include <fmt/format.h>

#include "leat/parallel/gloo_communicator.h"
#include "leat/parallel/local_group.h"
#include "leat/parallel/nccl_communicator.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;

void check_ranks(const WorldSettings& world, int replicas, DeviceKind device) {
  if (replicas > 1 && world.world_size > 1) {
    throw UsageError(
        fmt::format("--replicas {} together with WORLD_SIZE={}: start one replica per process, or unset "
                    "RANK and WORLD_SIZE",
                    replicas, world.world_size));
  }
  if (replicas > 1 && device == DeviceKind::cuda) {
    throw UsageError(
        "--replicas over 1 is for the CPU: for several GPUs start one process for each, with RANK, "
        "LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set");
  }
}

std::vector<std::unique_ptr<Communicator>> make_communicators(const WorldSettings& world, int replicas,
                                                              Device& device) {
  check_ranks(world, replicas, device.kind());
  if (replicas > 1) return make_local_group(replicas, device);
  std::vector<std::unique_ptr<Communicator>> only(1);
  if (world.world_size > 1) {
    only[0] = device.kind() == DeviceKind::cuda ? make_nccl_communicator(world, device)
                                                : make_gloo_communicator(world);
  }
  return only;
}

}  // namespace leat::tools
