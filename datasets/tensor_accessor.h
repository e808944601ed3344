/// \file
/// Access to elements of a contiguous tensor by index, similar to C++23's std::mdspan.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "leat/datasets/tensor_view.h"

namespace leat {

/// A row-major view with `Rank` indices: image(y, x, c), or image[y] for a part with one dimension less. Cheap to
/// copy. Does not own the elements, and does not check indices.
template <class T, std::size_t Rank>
class TensorAccessor {
 public:
  static_assert(Rank > 0, "a scalar needs no accessor");
  using element_type = T;                  ///< The type of an element.
  using value_type = std::remove_cv_t<T>;  ///< The same without const.

  /// Views `data` as an array with these extents.
  TensorAccessor(T* data, std::span<const std::size_t, Rank> extents) noexcept : data_(data) {
    std::size_t stride = 1;
    for (std::size_t i = Rank; i-- > 0; stride *= extents[i]) {
      extents_[i] = extents[i];
      strides_[i] = stride;
    }
  }

  /// Views a tensor. Throws ArgumentError if T is not its dtype, or Rank not its number of dimensions.
  explicit TensorAccessor(const TensorView& view) : TensorAccessor(view.as<T>().data(), extents_of(view)) {}

  /// Returns the number of dimensions.
  static constexpr std::size_t rank() noexcept { return Rank; }
  /// Returns the number of elements along a dimension.
  std::size_t extent(std::size_t dimension) const noexcept { return extents_[dimension]; }
  /// Returns the distance between neighbors along a dimension, in elements.
  std::size_t stride(std::size_t dimension) const noexcept { return strides_[dimension]; }
  /// Returns the total number of elements.
  std::size_t size() const noexcept { return extents_[0] * strides_[0]; }
  /// Returns the address of the first element.
  T* data_handle() const noexcept { return data_; }
  /// Returns all elements, in row-major order.
  std::span<T> elements() const noexcept { return {data_, size()}; }

  /// Returns the element at these indices.
  template <class... Index>
  requires(sizeof...(Index) == Rank && (std::is_convertible_v<Index, std::size_t> && ...)) T& operator()(
      Index... index) const noexcept {
    std::size_t dimension = 0, offset = 0;
    ((offset += static_cast<std::size_t>(index) * strides_[dimension++]), ...);
    return data_[offset];
  }

  /// Returns the part at this index of the first dimension. If Rank is 1, this is an element.
  decltype(auto) operator[](std::size_t index) const noexcept {
    T* const part = data_ + index * strides_[0];
    if constexpr (Rank == 1) {
      return static_cast<T&>(*part);
    } else {
      return TensorAccessor<T, Rank - 1>(part, std::span(extents_).template last<Rank - 1>());
    }
  }

 private:
  static std::span<const std::size_t, Rank> extents_of(const TensorView& view) {
    view.require_rank(Rank);
    return std::span<const std::size_t, Rank>(view.shape);
  }

  T* data_;
  std::array<std::size_t, Rank> extents_{};
  std::array<std::size_t, Rank> strides_{};
};

}  // namespace leat
