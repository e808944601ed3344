// The layout of a device's buffers: where the fields and results of its part of a batch are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/batch_layout.h"
#include "leat/loader/host_batch.h"
#include "leat/transfer/prefetch/device_column.h"
#include "leat/transfer/row_range.h"

namespace leat::detail {

// A field that a device holds.
struct HeldField {
  std::size_t field = 0;         // its place in the schema
  bool is_whole = false;         // the device gets all rows of it, not only those of its chunk
  bool is_mapped = false;        // the device reads it in host memory
  std::size_t rows = 0;          // at most
  std::size_t max_elements = 0;  // of all rows of a ragged field
};

// Bytes of a batch on their way to a device's buffer.
struct BatchPiece {
  std::size_t to = 0;  // bytes from the start of the device's memory, or of the mapped memory
  std::span<const std::byte> from{};
  std::int64_t start = 0;  // the bytes are row offsets, i64, from which this is subtracted

  // Writes the bytes as they arrive on the device.
  void write(std::byte* memory) const;
};

// Fields follow each other in schema order, as in a slot. The results of transforms follow. Mapped fields are not among
// them: they follow each other in the mapped memory. Everything is aligned to BatchLayout::kAlignment. A ragged field
// is its values and then its row offsets, of which the first is 0. Constant once all columns are added.
class DeviceLayout {
 public:
  // `device` is a name for messages.
  DeviceLayout(BatchLayout slot, std::string device, const std::vector<HeldField>& held);

  std::size_t bytes() const noexcept { return bytes_; }                // of a buffer in the device's memory
  std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }  // of a buffer in mapped memory
  // Tells whether there is a field or a result of that name.
  bool has(std::string_view name) const noexcept { return find(name) != nullptr; }

  // Return the field or result that a name means: the newest. Throw ArgumentError that lists the names if there is
  // none, or if the column is ragged, or not ragged.
  const DeviceColumn& column(std::string_view name) const;
  const DeviceColumn& fixed(std::string_view name) const;
  const DeviceColumn& ragged(std::string_view name) const;

  // Returns the field of that name, also if a result hides it. Throws ArgumentError if there is none.
  const DeviceColumn& field(std::string_view name) const;

  // Adds a result. It may have the name of `hidden`, but no other that exists. Returns the column, with its place,
  // which stays valid. Throws ArgumentError; also if `hidden` is mapped, since the result would replace it.
  const DeviceColumn& add_result(DeviceColumn column, std::string_view hidden);
  // Makes part_of() refuse batches with a longer row of a ragged column.
  void limit_rows(const DeviceColumn& column, std::size_t longest);

  // Returns the device's part of a batch, of which `chunk` is cut for the device. Throws ArgumentError if a ragged
  // field has more elements, or a longer row, than there is room for.
  DevicePart part_of(const HostBatch& batch, RowRange chunk) const;
  // Returns what is copied to the device.
  std::vector<BatchPiece> pieces(const HostBatch& batch, const DevicePart& part) const;
  // Returns what is written to the mapped memory.
  std::vector<BatchPiece> mapped_pieces(const HostBatch& batch, const DevicePart& part) const;

 private:
  // Returns the old end of a memory's columns, and moves it behind `rows` more rows.
  static std::size_t append(std::size_t& end, std::size_t row_bytes, std::size_t rows);
  const DeviceColumn* find(std::string_view name) const noexcept;  // null: there is none
  void measure(DevicePart& part, const DeviceColumn& column, std::size_t field, const HostBatch& batch) const;
  void add_fixed(std::vector<BatchPiece>& pieces, const DeviceColumn& column, std::size_t field,
                 const HostBatch& batch, const DevicePart& part) const;
  void add_ragged(std::vector<BatchPiece>& pieces, const DeviceColumn& column, std::size_t field,
                  const HostBatch& batch, const DevicePart& part) const;

  const BatchLayout slot_;
  const std::string device_;
  std::deque<DeviceColumn> columns_;  // those of fields, then those of results
  std::vector<std::size_t> fields_;   // the place in the schema of each column that is a field
  std::size_t bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  bool begins_with_slot_ = false;  // the fields are where they are in a slot
};

}  // namespace leat::detail
