// Access of a GPU to the memory of others.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace leat::detail::cuda {

// Gives a GPU access to the memory of another one when it is first needed, so that copies between them go directly. Not
// earlier, because each access makes later allocations of the other GPU slower. Thread-safe.
class PeerAccess {
 public:
  // `device` is the device's name, which outlives this object.
  PeerAccess(int ordinal, const std::string& device) noexcept : ordinal_(ordinal), device_(device) {}

  // Ensures that the GPU has access to what lies at the address, if that is another GPU's and the hardware allows it.
  // Throws DeviceError. The GPU must be current.
  void ensure(const void* memory);

 private:
  void enable(int peer);

  const int ordinal_;
  const std::string& device_;
  std::mutex mutex_;
  std::set<int> known_;  // guarded by mutex_; those that were asked for, whether or not they were granted
};

}  // namespace leat::detail::cuda
