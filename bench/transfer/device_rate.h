// The speed of work on a device.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "bench/transfer/cases.h"
#include "leat/transfer/device.h"

namespace leat::bench {

/// Measures the GB read and written per second by `launch`, which reads and writes `bytes` bytes of device memory,
/// against a copy within the device that reads and writes as many.
Pair compare_with_copy(Device& device, const TransferOptions& options, std::string name, std::size_t bytes,
                       const std::function<void(StreamRef stream)>& launch);

}  // namespace leat::bench
