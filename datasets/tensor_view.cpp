#include "leat/datasets/tensor_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::size_t TensorView::count() const {
  return element_count(shape);
}

std::size_t TensorView::bytes() const {
  return checked_multiply(count(), size_of(dtype));
}

std::size_t TensorView::row_bytes() const {
  if (shape.empty()) throw ArgumentError("a scalar has no rows");
  return checked_multiply(element_count(std::span(shape).subspan(1)), size_of(dtype));
}

TensorView TensorView::rows(std::size_t first, std::size_t last) const {
  const std::size_t step = row_bytes();
  if (first > last || last > shape[0]) {
    throw ArgumentError(fmt::format("rows [{}, {}) of a tensor of shape {}", first, last, to_string(shape)));
  }
  TensorView part = *this;
  part.data = static_cast<std::byte*>(data) + first * step;
  part.shape[0] = last - first;
  return part;
}

void TensorView::require_rank(std::size_t rank) const {
  if (shape.size() != rank) {
    throw ArgumentError(
        fmt::format("a tensor of shape {} takes {} indices, not {}", to_string(shape), shape.size(), rank));
  }
}

void TensorView::require(DType wanted) const {
  if (wanted != dtype) {
    throw ArgumentError(fmt::format("the tensor holds {}, not {}", name_of(dtype), name_of(wanted)));
  }
}

}  // namespace leat
