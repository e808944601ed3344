// What allocate() returns where memory of this process alone serves the collectives as well as any other.
#pragma once

#include <cstddef>

#include "leat/parallel/communicator.h"

namespace leat::detail {

// Returns memory of the device.
CommunicationBuffer private_memory(std::size_t bytes, Device& device = host_device());

}  // namespace leat::detail
