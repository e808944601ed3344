#include "leat/transfer/device.h"

namespace leat {

void StreamRef::synchronize() const {
  device_->synchronize(*this);
}

Stream::~Stream() {
  if (ref_.handle() != nullptr) ref_.device().destroy_stream(ref_.handle());
}

Event::~Event() {
  if (ref_.handle() != nullptr) ref_.device().destroy_event(ref_.handle());
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) device_->deallocate(data_, size_);
}

PinnedRegion::~PinnedRegion() {
  if (device_ != nullptr) device_->unpin(memory_);
}

}  // namespace leat
