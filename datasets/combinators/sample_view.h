// A sample that a dataset has written, to be read.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/sample_writer.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

// A view, valid during one call. Fields are named by position or by name; a name that is not there is an ArgumentError,
// as is T where it is not the field's dtype.
class SampleView {
 public:
  explicit SampleView(const SampleWriter& sample) noexcept : sample_(&sample) {}

  const Schema& schema() const noexcept { return sample_->schema(); }
  std::size_t index_of(std::string_view field) const { return schema().index_of(field); }

  std::span<const std::byte> bytes(std::size_t field) const { return sample_->written(field); }

  // The elements in row-major order; of a ragged field, as many as the sample has.
  template <class T>
  std::span<const T> values(std::size_t field) const {
    schema()[field].require(dtype_of<T>);
    const std::span<const std::byte> row = bytes(field);
    return {reinterpret_cast<const T*>(row.data()), row.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> values(std::string_view field) const {
    return values<T>(index_of(field));
  }

  // Of a scalar field; ArgumentError where it is none.
  template <class T>
  T get(std::size_t field) const {
    const std::span<const T> row = values<T>(field);
    if (!schema().has_scalar(field, dtype_of<T>)) refuse_scalar(field);
    return row[0];
  }
  template <class T>
  T get(std::string_view field) const {
    return get<T>(index_of(field));
  }

  // Of a ragged u8 field.
  std::string_view text(std::size_t field) const;
  std::string_view text(std::string_view field) const { return text(index_of(field)); }

  // With its shape: [length, shape...] of a ragged field. What it points to may be used as a place to work in.
  TensorView tensor(std::size_t field) const;
  TensorView tensor(std::string_view field) const { return tensor(index_of(field)); }

 private:
  [[noreturn]] void refuse_scalar(std::size_t field) const;

  const SampleWriter* sample_;
};

}  // namespace leat
