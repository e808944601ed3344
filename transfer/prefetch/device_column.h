// A field or a result in the buffers of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/tensor_view.h"
#include "leat/transfer/normalize.h"
#include "leat/transfer/row_range.h"

namespace leat::detail {

// How much of a batch is in a device's buffer.
struct DevicePart {
  RowRange rows{};             // the device's chunk
  std::size_t batch_rows = 0;  // of all devices
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;             // of the batch in its epoch
  std::vector<std::size_t> elements{};  // of each ragged field of the layout, in order
  std::vector<std::size_t> longest{};   // elements of the longest row of each, on all devices
};

// The memory of one buffer of a device.
struct BufferMemory {
  std::byte* device = nullptr;
  std::byte* mapped = nullptr;  // page-locked memory of the host, which the device reads over the bus
};

// Where the rows of a ragged field end.
struct RaggedColumn {
  std::size_t number = 0;                        // of the layout's ragged fields
  std::size_t row_offsets = 0;                   // bytes from the start of the device's memory
  std::size_t max_length = 0;                    // elements of a row
  std::size_t max_elements = 0;                  // of all rows
  std::optional<std::size_t> longest_allowed{};  // what a result without truncation has room for
};

// The length of padded rows.
struct PaddedColumn {
  std::size_t ragged = 0;       // number of the ragged field
  std::size_t length = 0;       // 0: the longest row's, rounded up
  std::size_t multiple_of = 1;  // for rounding up
  std::size_t max_length = 0;
};

struct DeviceColumn {
  std::string name;
  DType dtype = DType::u8;
  Shape shape{};           // of a row; of an element of a row if it is ragged or padded
  bool is_whole = false;   // all rows of the batch, not only those of the device's chunk
  std::size_t rows = 0;    // at most
  bool is_mapped = false;  // in the buffer's mapped memory, not in the device's
  std::size_t offset = 0;  // bytes from the start of that memory
  std::optional<RaggedColumn> ragged{};
  std::optional<PaddedColumn> padded{};
  std::optional<PixelLayout> layout{};  // of images that were normalized

  RowRange rows_of(const DevicePart& part) const {
    return is_whole ? RowRange{0, part.batch_rows} : part.rows;
  }
  // Returns where the column starts in a buffer.
  std::byte* address(const BufferMemory& buffer) const {
    return (is_mapped ? buffer.mapped : buffer.device) + offset;
  }
  // Returns the column in a buffer; of a ragged one, its values.
  TensorView view(const BufferMemory& buffer, const DevicePart& part) const;
  // Returns the offsets of a ragged column: i64 [rows + 1].
  TensorView row_offsets(const BufferMemory& buffer, const DevicePart& part) const;
  // Returns the elements per row of a padded column.
  std::size_t length(const DevicePart& part) const;
};

}  // namespace leat::detail
