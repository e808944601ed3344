// Where the fields of a batch lie in a device buffer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/batch_layout.h"
#include "leat/transfer/device.h"

namespace leat::detail {

// A device buffer starts like the slot it is copied from; the results of normalization follow, each aligned
// as a field is. Immutable.
class DeviceLayout {
 public:
  // Throws ArgumentError for a slot with a ragged field, for a field to be normalized that is missing or
  // holds no pixels, for a normalization that cannot be done, and for an output whose name is another's.
  DeviceLayout(BatchLayout slot, const std::vector<FieldNormalization>& normalize);

  const BatchLayout& slot() const noexcept { return slot_; }
  std::size_t bytes() const noexcept { return bytes_; }  // of the whole buffer

  // A field or an output of the first `rows` rows of a buffer at `base`. Throws ArgumentError listing the
  // names that there are.
  TensorView view(std::string_view name, std::byte* base, std::size_t rows) const;

  // Enqueues what makes the outputs out of the fields of a buffer at `base`.
  void normalize(std::byte* base, std::size_t rows, StreamRef stream) const;

 private:
  struct Output {
    std::string name;
    std::size_t field = 0;  // in the slot's schema
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
