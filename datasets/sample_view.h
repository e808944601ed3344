/// \file
/// Read access to a sample that a dataset has written.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/sample_writer.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// A sample that a dataset has written, for the function of a Map. Valid during one call.
///
/// Fields are identified by position or by name. Members throw ArgumentError if there is no such field, or if T is
/// not its dtype.
class LEAT_EXPORT SampleView {
 public:
  /// Views the fields that were written through `sample`, which must outlive this object.
  explicit SampleView(const SampleWriter& sample) noexcept : sample_(&sample) {}

  /// Returns the fields.
  const Schema& schema() const noexcept { return sample_->schema(); }
  /// Returns the position of a field.
  std::size_t index_of(std::string_view field) const { return schema().index_of(field); }

  /// Returns the bytes of a field.
  std::span<const std::byte> bytes(std::size_t field) const { return sample_->written(field); }

  /// Returns the elements of a field in row-major order. A ragged field has as many elements as the sample has.
  template <class T>
  std::span<const T> values(std::size_t field) const {
    schema()[field].require(dtype_of<T>);
    const std::span<const std::byte> row = bytes(field);
    return {reinterpret_cast<const T*>(row.data()), row.size() / sizeof(T)};
  }
  /// Returns the elements of the field with this name.
  template <class T>
  std::span<const T> values(std::string_view field) const {
    return values<T>(index_of(field));
  }

  /// Returns the value of a scalar field. Throws ArgumentError if the field is not a scalar.
  template <class T>
  T get(std::size_t field) const {
    const std::span<const T> row = values<T>(field);
    if (!schema().has_scalar(field, dtype_of<T>)) refuse_scalar(field);
    return row[0];
  }
  /// Returns the value of the scalar field with this name.
  template <class T>
  T get(std::string_view field) const {
    return get<T>(index_of(field));
  }

  /// Returns the bytes of a u8 field as text.
  std::string_view text(std::size_t field) const;
  /// Returns the bytes of the field with this name as text.
  std::string_view text(std::string_view field) const { return text(index_of(field)); }

  /// Returns a field with its shape, which is [length, shape...] for a ragged field. The function may write to its
  /// memory.
  TensorView tensor(std::size_t field) const;
  /// Returns the field with this name and its shape.
  TensorView tensor(std::string_view field) const { return tensor(index_of(field)); }

 private:
  [[noreturn]] void refuse_scalar(std::size_t field) const;

  const SampleWriter* sample_;
};

}  // namespace leat
