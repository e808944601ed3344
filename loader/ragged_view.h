/// \file
/// The rows of a ragged field, and their padded form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// A dense array that owns its values, row-major.
template <class T>
struct PaddedRows {
  Shape shape;            ///< [rows, length, field shape...]
  std::vector<T> values;  ///< the elements of all rows
};

namespace detail {
// Returns the number of elements of the longest row. `offsets` are those of a RaggedView.
LEAT_EXPORT std::size_t longest_row(std::span<const std::int64_t> offsets) noexcept;
// Returns `length` rounded up to a multiple of `multiple_of`. Throws ArgumentError for a multiple of zero.
LEAT_EXPORT std::size_t round_up_to_multiple(std::size_t length, std::size_t multiple_of);
// Returns [rows, length, field shape...]. Throws ArgumentError if a row is longer; the message names field and row.
LEAT_EXPORT Shape padded_shape(const Field& field, std::span<const std::int64_t> offsets, std::size_t length);
// Throws ArgumentError if `count` is not the number of elements of `shape`.
LEAT_EXPORT void require_padded_count(const Field& field, const Shape& shape, std::size_t count);
}  // namespace detail

/// A view of the rows of a ragged field, valid as long as its batch. Row r is the elements [offsets[r], offsets[r + 1])
/// of one array without gaps. An element is as many T as the field's shape holds, one T if it is a scalar.
template <class T>
class RaggedView {
 public:
  /// Views `values`, of shape [elements, field shape...]. Throws ArgumentError if T is not their dtype.
  RaggedView(const Field& field, const TensorView& values, std::span<const std::int64_t> offsets)
      : field_(&field),
        values_(values.as<T>()),
        per_element_(field.element_bytes() / sizeof(T)),
        offsets_(offsets) {}

  std::size_t size() const noexcept { return offsets_.size() - 1; }  ///< number of rows
  /// Returns the size() + 1 row offsets.
  std::span<const std::int64_t> offsets() const noexcept { return offsets_; }
  std::span<T> values() const noexcept { return values_; }  ///< the values of all rows

  /// Returns the number of elements of a row. That `row` is below size() is not checked.
  std::size_t length(std::size_t row) const noexcept {
    return static_cast<std::size_t>(offsets_[row + 1] - offsets_[row]);
  }
  /// Returns the values of a row. That `row` is below size() is not checked.
  std::span<T> operator[](std::size_t row) const noexcept {
    return values_.subspan(static_cast<std::size_t>(offsets_[row]) * per_element_,
                           length(row) * per_element_);
  }
  /// Returns the number of elements of the longest row.
  std::size_t longest() const noexcept { return detail::longest_row(offsets_); }

  /// Returns a copy of shape [size(), longest() rounded up to a multiple of `multiple_of`, field shape...], with
  /// `value` behind each row's own elements. Throws ArgumentError for a multiple of 0.
  PaddedRows<std::remove_cv_t<T>> padded(T value, std::size_t multiple_of = 1) const {
    const std::size_t length = detail::round_up_to_multiple(longest(), multiple_of);
    PaddedRows<std::remove_cv_t<T>> padded{detail::padded_shape(*field_, offsets_, length), {}};
    padded.values.resize(size() * length * per_element_);
    fill(padded.values, length, value);
    return padded;
  }

  /// Writes a padded copy of shape [size(), length, field shape...] to `out`. Throws ArgumentError if a row is longer,
  /// or if `out` is not of exactly that size.
  void pad_into(std::span<std::remove_cv_t<T>> out, std::size_t length, T value) const {
    detail::require_padded_count(*field_, detail::padded_shape(*field_, offsets_, length), out.size());
    fill(out, length, value);
  }

 private:
  void fill(std::span<std::remove_cv_t<T>> out, std::size_t length, T value) const {
    auto at = out.begin();
    for (std::size_t row = 0; row < size(); ++row) {
      at = std::ranges::copy((*this)[row], at).out;
      at = std::fill_n(at, (length - this->length(row)) * per_element_, value);
    }
  }

  const Field* field_;
  std::span<T> values_;
  std::size_t per_element_;
  std::span<const std::int64_t> offsets_;
};

}  // namespace leat
