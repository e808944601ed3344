#include "loader/host_batch.h"

#include <utility>

namespace leat {

HostBatch::HostBatch(Description description, std::shared_ptr<SlotOwner> owner) noexcept
    : description_(description), owner_(std::move(owner)) {}

HostBatch& HostBatch::operator=(HostBatch&& other) noexcept {
  if (this != &other) {
    release();
    description_ = other.description_;
    owner_ = std::move(other.owner_);
  }
  return *this;
}

HostBatch::~HostBatch() {
  release();
}

void HostBatch::release() noexcept {
  if (owner_) owner_->release(description_.slot);
  owner_.reset();
}

TensorView HostBatch::operator[](std::string_view field) const {
  return (*this)[schema().index_of(field)];
}

TensorView HostBatch::operator[](std::size_t field) const {
  return description_.layout->view(field, description_.data, description_.rows);
}

}  // namespace leat
