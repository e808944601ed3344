#include "leat/loader/ragged_view.h"

#include <fmt/format.h>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

std::size_t longest_row(std::span<const std::int64_t> offsets) noexcept {
  std::int64_t longest = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    longest = std::max(longest, offsets[row + 1] - offsets[row]);
  }
  return static_cast<std::size_t>(longest);
}

std::size_t round_up_to_multiple(std::size_t length, std::size_t multiple_of) {
  if (multiple_of == 0) throw ArgumentError("rows cannot be padded to a multiple of 0");
  return checked_multiply(divide_up(length, multiple_of), multiple_of);
}

Shape padded_shape(const Field& field, std::span<const std::int64_t> offsets, std::size_t length) {
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const auto own = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
    if (own > length) {
      throw ArgumentError(
          fmt::format("field '{}': row {} of the batch has length {} and cannot be padded to {}", field.name,
                      row, own, length));
    }
  }
  Shape shape{offsets.size() - 1, length};
  shape.insert(shape.end(), field.shape.begin(), field.shape.end());
  return shape;
}

void require_padded_count(const Field& field, const Shape& shape, std::size_t count) {
  if (element_count(shape) != count) {
    throw ArgumentError(fmt::format("field '{}' is padded to {}, which is not the {} elements of the output",
                                    field.name, to_string(shape), count));
  }
}

}  // namespace leat::detail
