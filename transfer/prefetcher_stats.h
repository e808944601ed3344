/// \file
/// What a prefetcher has done, and for how long its consumer waited for data.
#pragma once

#include <cstdint>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

class Device;

/// What a prefetcher has brought to one device, measured by events on its streams. A batch is in the figures once the
/// device has worked off its arrival; a batch that next() did not return is not.
struct LEAT_EXPORT DeviceTransferStats {
  Device* device = nullptr;         ///< the device
  std::uint64_t batches = 0;        ///< batches that were measured
  std::uint64_t copied_bytes = 0;   ///< bytes of them that were copied to the device
  std::uint64_t bounced_bytes = 0;  ///< of these, bytes that went through page-locked buffers
  double copy_seconds = 0;          ///< time from the start of each batch's copies to their end
  double wait_seconds = 0;  ///< time that the consumer's stream waited for batches, with nothing else to do

  /// Returns the bandwidth of the copies in bytes per second; 0 if there were none.
  double copy_bandwidth() const noexcept {
    return copy_seconds > 0 ? static_cast<double>(copied_bytes) / copy_seconds : 0;
  }
};

/// What a prefetcher has done since it was made. To measure an epoch, subtract the figures before it from those after.
struct LEAT_EXPORT PrefetcherStats {
  std::uint64_t direct_batches = 0;   ///< copied to the devices from the loader's memory
  std::uint64_t bounced_batches = 0;  ///< of which at least a part was copied through page-locked buffers
  double seconds = 0;                 ///< time of the epochs: from each one's start to its end, or to now
  std::vector<DeviceTransferStats> devices{};  ///< in the order of Prefetcher::devices()

  /// Returns the share of the time of the epochs in which the stream of a device waited for data; 0 before the first.
  double wait_share(std::size_t device = 0) const {
    return seconds > 0 ? devices.at(device).wait_seconds / seconds : 0;
  }
};

}  // namespace leat
