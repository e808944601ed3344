// A gather of small host data from all ranks, with a communicator of any device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/parallel/communicator.h"

namespace leat::detail {

// Returns the bytes of all ranks, in rank order. Every rank must pass the same number of bytes. The host waits.
// Throws CommunicationError.
std::vector<std::string> gather_bytes(Communicator& communicator, std::span<const std::byte> mine,
                                      StreamRef stream);

}  // namespace leat::detail
