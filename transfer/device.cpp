#include "leat/transfer/device.h"

namespace leat {

void StreamRef::synchronize() const {
  device_->synchronize(*this);
}

void DeviceBuffer::release() noexcept {
  if (data_ != nullptr) device_->deallocate(data_, size_);
}

void PinnedRegion::release() noexcept {
  if (device_ != nullptr) device_->unpin(memory_);
}

}  // namespace leat
