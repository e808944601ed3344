#include "leat/transfer/prefetch/device_column.h"

#include "leat/datasets/base/checked.h"

namespace leat::detail {

std::size_t DeviceColumn::length(const DevicePart& part) const {
  if (padded->length > 0) return padded->length;
  return divide_up(part.longest[padded->ragged], padded->multiple_of) * padded->multiple_of;
}

TensorView DeviceColumn::view(const BufferMemory& buffer, const DevicePart& part) const {
  Shape full;
  full.push_back(ragged ? part.elements[ragged->number] : rows_of(part).size());
  if (padded) full.push_back(length(part));
  full.insert(full.end(), shape.begin(), shape.end());
  return {address(buffer), dtype, std::move(full)};
}

TensorView DeviceColumn::row_offsets(const BufferMemory& buffer, const DevicePart& part) const {
  return {buffer.device + ragged->row_offsets, DType::i64, {rows_of(part).size() + 1}};
}

}  // namespace leat::detail
