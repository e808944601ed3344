#include "leat/transfer/device.h"

namespace leat {

void StreamRef::synchronize() const {
  device_->synchronize(*this);
}

void Device::copy_all(std::span<const MemoryCopy> copies, StreamRef stream) {
  for (const MemoryCopy& each : copies) {
    if (each.bytes > 0) copy(each.to, each.from, each.bytes, stream);
  }
}

std::function<void()> Device::make_waiter(EventRef) {
  throw DeviceError(name() + ": streams of other devices cannot wait for its events");
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): devices that have such events keep the function
void Device::call_when_passed(EventRef, std::function<void(std::exception_ptr)>) {
  throw DeviceError(name() + ": streams of other devices cannot wait for its events");
}

void PinnedRegion::release() noexcept {
  if (device_ != nullptr) device_->unpin(memory_);
}

}  // namespace leat
