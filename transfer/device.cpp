#include "leat/transfer/device.h"

namespace leat {

void StreamRef::synchronize() const {
  device_->synchronize(*this);
}

void PinnedRegion::release() noexcept {
  if (device_ != nullptr) device_->unpin(memory_);
}

}  // namespace leat
