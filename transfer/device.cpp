#include "leat/transfer/device.h"

namespace leat {

void StreamRef::synchronize() const {
  device_->synchronize(*this);
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
