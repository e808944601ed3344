#include "leat/parallel/local_group.h"

#include <fmt/format.h>

#include "leat/parallel/host/host_communicator.h"
#include "leat/parallel/local/local_engine.h"

namespace leat {

using namespace detail;

std::vector<std::unique_ptr<Communicator>> make_local_group(int ranks, Device& device,
                                                            std::chrono::milliseconds timeout) {
  if (ranks < 1) throw ArgumentError(fmt::format("a group needs at least one rank, not {}", ranks));
  if (ranks > kMaxMeetingRanks)
    throw ArgumentError(
        fmt::format("a group of {} ranks; the greatest number is {}", ranks, kMaxMeetingRanks));
  if (device.kind() != DeviceKind::host) {
    throw ArgumentError(fmt::format(
        "a local group on {} is not implemented yet; use one process for each GPU, joined by NCCL",
        device.name()));
  }
  if (timeout.count() <= 0 || timeout > kLongestTimeout) {
    throw ArgumentError(fmt::format("the timeout of a group is {} ms; it must be above 0, and at most {}",
                                    timeout.count(), kLongestTimeout.count()));
  }
  const auto meeting = std::make_shared<LocalMeeting>(ranks);
  std::vector<std::unique_ptr<Communicator>> group;
  group.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    group.push_back(std::make_unique<HostCommunicator>(std::make_unique<LocalEngine>(meeting, rank, timeout),
                                                       device, timeout));
  }
  return group;
}

}  // namespace leat
