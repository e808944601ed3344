// The layout of a device buffer: where the fields and outputs of a batch are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/batch_layout.h"
#include "leat/transfer/device.h"

namespace leat::detail {

// A device buffer begins with a copy of the batch's slot. The results of normalization follow, aligned like fields.
// Immutable.
class DeviceLayout {
 public:
  // Throws ArgumentError if the slot has a ragged field, if a field to be normalized is missing or holds no pixels,
  // if a normalization is invalid, or if an output has the name of another output or field.
  DeviceLayout(BatchLayout slot, const std::vector<FieldNormalization>& normalize);

  const BatchLayout& slot() const noexcept { return slot_; }
  std::size_t bytes() const noexcept { return bytes_; }  // of the whole buffer

  // Returns a field or an output of the first `rows` rows of a buffer at `base`. Throws ArgumentError, listing the
  // names that exist, for any other name.
  TensorView view(std::string_view name, std::byte* base, std::size_t rows) const;

  // Enqueues the computation of the outputs from the fields of a buffer at `base`.
  void normalize(std::byte* base, std::size_t rows, StreamRef stream) const;

 private:
  struct Output {
    std::string name;
    std::size_t field = 0;  // index in the slot's schema
    PixelShape shape;       // of one row: n is 1
    Normalization how;
    std::size_t offset = 0;  // bytes from the buffer's start
  };

  void add(const FieldNormalization& wanted);
  void check_name(const std::string& name, const std::string& field) const;

  BatchLayout slot_;
  std::vector<Output> outputs_;
  std::size_t bytes_ = 0;
};

}  // namespace leat::detail
