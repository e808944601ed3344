/// \file
/// Views of contiguous, row-major arrays.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"

namespace leat {

/// The extents of an array, in elements; empty for a scalar. The first dimension of a batch is its rows.
using Shape = std::vector<std::size_t>;

/// Returns a shape as text: "[64, 3, 224, 224]".
LEAT_EXPORT std::string to_string(const Shape& shape);

/// A contiguous, row-major array that is owned elsewhere. The memory may be on a device; then the host must not
/// access it.
struct LEAT_EXPORT TensorView {
  void* data = nullptr;     ///< The address of the first element.
  DType dtype = DType::u8;  ///< The type of the elements.
  Shape shape;              ///< The extents.

  /// Returns the number of elements.
  std::size_t count() const;
  /// Returns the size of all elements, in bytes.
  std::size_t bytes() const;
  /// Returns the size of one step along the first dimension, in bytes. Throws ArgumentError if the tensor is a
  /// scalar.
  std::size_t row_bytes() const;

  /// Returns the rows [first, last) as a view of the same memory. Throws ArgumentError if they are out of range.
  TensorView rows(std::size_t first, std::size_t last) const;

  /// Returns the elements, which must be in host memory. Throws ArgumentError if T is not the dtype.
  template <class T>
  std::span<T> as() const {
    require(dtype_of<T>);
    return {static_cast<T*>(data), count()};
  }

  /// Throws ArgumentError if the tensor does not have `rank` dimensions.
  void require_rank(std::size_t rank) const;

 private:
  void require(DType wanted) const;
};

}  // namespace leat
