// Where the fields of a batch lie in its slot.
#pragma once

#include <cstddef>
#include <vector>

#include "datasets/schema.h"
#include "loader/base/tensor_view.h"

namespace leat {

// Fields follow each other in schema order, each starting at a multiple of kAlignment and holding `capacity`
// rows without gaps. A short batch uses the first rows of each field. Immutable.
class BatchLayout {
 public:
  static constexpr std::size_t kAlignment =
      256;  // bytes; satisfies every dtype, cache lines and CUDA's allocations

  BatchLayout() = default;
  BatchLayout(Schema schema,
              std::size_t capacity);  // throws ArgumentError for no rows or a size beyond 64 bits

  const Schema& schema() const noexcept { return schema_; }
  std::size_t capacity() const noexcept { return capacity_; }  // rows
  std::size_t bytes() const noexcept { return bytes_; }        // of the whole slot, a multiple of kAlignment

  std::size_t offset(std::size_t field) const noexcept {
    return offsets_[field];
  }  // bytes from the slot's start

  // Field `field` of the first `rows` rows of a slot at `base` (host or device memory).
  TensorView view(std::size_t field, std::byte* base, std::size_t rows) const;

  // The addresses of row 0 of each field, as SampleWriter wants them.
  std::vector<std::byte*> columns(std::byte* base) const;

 private:
  Schema schema_;
  std::size_t capacity_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;
};

}  // namespace leat
