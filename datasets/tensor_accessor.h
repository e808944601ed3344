// Elements of a dense tensor by index, in the manner of C++23's std::mdspan.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "leat/datasets/tensor_view.h"

namespace leat {

// A row-major view with `Rank` indices: image(y, x, c), or image[y] for the part of one rank less. Cheap to
// copy. Indices are not checked, and what it refers to belongs to somebody else.
template <class T, std::size_t Rank>
class TensorAccessor {
 public:
  static_assert(Rank > 0, "a scalar needs no accessor");
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  TensorAccessor(T* data, std::span<const std::size_t, Rank> extents) noexcept : data_(data) {
    std::size_t stride = 1;
    for (std::size_t i = Rank; i-- > 0; stride *= extents[i]) {
      extents_[i] = extents[i];
      strides_[i] = stride;
    }
  }

  // Throws ArgumentError where T is not the view's dtype, or Rank not its number of dimensions.
  explicit TensorAccessor(const TensorView& view) : TensorAccessor(view.as<T>().data(), extents_of(view)) {}

  static constexpr std::size_t rank() noexcept { return Rank; }
  std::size_t extent(std::size_t dimension) const noexcept { return extents_[dimension]; }
  std::size_t stride(std::size_t dimension) const noexcept { return strides_[dimension]; }  // in elements
  std::size_t size() const noexcept { return extents_[0] * strides_[0]; }                   // elements
  T* data_handle() const noexcept { return data_; }
  std::span<T> elements() const noexcept { return {data_, size()}; }

  template <class... Index>
  requires(sizeof...(Index) == Rank && (std::is_convertible_v<Index, std::size_t> && ...)) T& operator()(
      Index... index) const noexcept {
    std::size_t dimension = 0, offset = 0;
    ((offset += static_cast<std::size_t>(index) * strides_[dimension++]), ...);
    return data_[offset];
  }

  // One step along the first dimension: an element where Rank is 1, else what lies below.
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
