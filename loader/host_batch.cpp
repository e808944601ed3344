#include "leat/loader/host_batch.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/slots/slot_owner.h"

namespace leat {

using namespace detail;

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
  TensorView view = description_.layout->view(field, description_.data, description_.rows);
  if (!description_.batched) view.shape.erase(view.shape.begin());
  return view;
}

std::string_view HostBatch::text(std::string_view field, std::size_t row) const {
  return text(schema().index_of(field), row);
}

std::string_view HostBatch::text(std::size_t field, std::size_t row) const {
  const RaggedView<std::uint8_t> rows = ragged<std::uint8_t>(field);
  if (row >= rows.size()) {
    throw ArgumentError(fmt::format("there is no row {}: the batch has {}", row, rows.size()));
  }
  const std::span<const std::uint8_t> bytes = rows[row];
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TensorView HostBatch::ragged_values(std::string_view field) const {
  return ragged_values(schema().index_of(field));
}

TensorView HostBatch::ragged_offsets(std::string_view field) const {
  return ragged_offsets(schema().index_of(field));
}

TensorView HostBatch::ragged_values(std::size_t field) const {
  return description_.layout->ragged_values(field, description_.data, description_.rows);
}

TensorView HostBatch::ragged_offsets(std::size_t field) const {
  const std::span<std::int64_t> offsets = row_offsets(field);
  return {offsets.data(), DType::i64, {offsets.size()}};
}

std::span<std::int64_t> HostBatch::row_offsets(std::size_t field) const {
  return description_.layout->row_offsets(field, description_.data).first(description_.rows + 1);
}

}  // namespace leat
