#include "leat/datasets/sample_view.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

std::string_view SampleView::text(std::size_t field) const {
  const std::span<const std::uint8_t> bytes = values<std::uint8_t>(field);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TensorView SampleView::tensor(std::size_t field) const {
  const Field& described = schema()[field];
  const std::span<std::byte> row = sample_->written(field);
  Shape shape = described.shape;
  if (described.is_ragged()) shape.insert(shape.begin(), row.size() / described.element_bytes());
  return {row.data(), described.dtype, std::move(shape)};
}

void SampleView::refuse_scalar(std::size_t field) const {
  const Field& described = schema()[field];
  throw ArgumentError(
      fmt::format("field '{}' is {}; get() reads scalars", described.name, to_string(described)));
}

}  // namespace leat
