// A dense, row-major array that somebody else owns. Shapes count elements; the first dimension of a batch is
// its rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/dtype.h"

namespace leat {

using Shape = std::vector<std::size_t>;

std::string to_string(const Shape& shape);  // "[64, 3, 224, 224]"

// The memory may lie on a device; then only `data` as an address is meaningful on the host.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::u8;
  Shape shape;

  std::size_t count() const;  // elements
  std::size_t bytes() const;  // count() * size_of(dtype)
  std::size_t row_bytes()
      const;  // bytes of one step along the first dimension; throws ArgumentError for a scalar

  // Rows [first, last) as a view of the same memory. Throws ArgumentError where they are out of range.
  TensorView rows(std::size_t first, std::size_t last) const;

  // The elements as T (host memory). Throws ArgumentError where T is not the dtype.
  template <class T>
  std::span<T> as() const {
    require(dtype_of<T>);
    return {static_cast<T*>(data), count()};
  }

  // Throws ArgumentError where the tensor has another number of dimensions.
  void require_rank(std::size_t rank) const;

 private:
  void require(DType wanted) const;
};

}  // namespace leat
