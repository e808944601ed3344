#include "datasets/sample_writer.h"

#include <fmt/format.h>

#include "loader/base/errors.h"

namespace leat {

void SampleWriter::require(std::size_t field, DType dtype) const {
  const Field& wanted = (*schema_)[field];
  if (wanted.dtype != dtype) {
    throw ArgumentError(
        fmt::format("field '{}' holds {}, not {}", wanted.name, name_of(wanted.dtype), name_of(dtype)));
  }
}

void SampleWriter::require_scalar(std::size_t field, DType dtype) const {
  require(field, dtype);
  const Field& wanted = (*schema_)[field];
  if (!wanted.shape.empty()) {
    throw ArgumentError(
        fmt::format("field '{}' has shape {}; set() writes scalars", wanted.name, to_string(wanted.shape)));
  }
}

void SampleWriter::report_missing() const {
  for (std::size_t field = 0; field < schema_->size(); ++field) {
    if ((written_ >> field & 1) == 0) {
      throw ArgumentError(fmt::format("get() did not write field '{}'", (*schema_)[field].name));
    }
  }
  throw ArgumentError("get() wrote a field that the schema does not have");
}

}  // namespace leat
