// Small host data of all ranks, brought together by a communicator of any device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/parallel/communicator.h"

namespace leat::detail {

// Every rank passes the same number of bytes and gets those of all ranks, in rank order. The host waits.
// Throws CommunicationError.
std::vector<std::string> gather_bytes(Communicator& communicator, std::span<const std::byte> mine,
                                      StreamRef stream);

}  // namespace leat::detail
