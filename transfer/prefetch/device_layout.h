// The layout of a device's buffers: where the fields and outputs of its part of a batch are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/loader/batch_layout.h"
#include "leat/loader/host_batch.h"
#include "leat/transfer/device.h"
#include "leat/transfer/row_range.h"

namespace leat::detail {

// A field that a device holds.
struct HeldField {
  std::size_t field = 0;         // its place in the schema
  bool is_whole = false;         // the device gets all rows of it, not only those of its chunk
  std::size_t rows = 0;          // at most
  std::size_t max_elements = 0;  // of all rows of a ragged field
};

// How much of a batch is in a device's buffer.
struct DevicePart {
  RowRange rows{};                      // the device's chunk
  std::size_t batch_rows = 0;           // of all devices
  std::vector<std::size_t> elements{};  // of each ragged field of the layout, in order
};

// Bytes of a batch on their way to a device's buffer.
struct BatchPiece {
  std::size_t to = 0;  // bytes from the start of the buffer
  std::span<const std::byte> from{};
  std::int64_t start = 0;  // the bytes are row offsets, i64, from which this is subtracted

  // Writes the bytes as they arrive on the device.
  void write(std::byte* memory) const;
};

// Fields follow each other in schema order, as in a slot. The results of normalization follow. Everything is aligned to
// BatchLayout::kAlignment. A ragged field is its values and then its row offsets, of which the first is 0. Immutable.
class DeviceLayout {
 public:
  // `device` is a name for messages. Throws ArgumentError if a field to be normalized is not held or holds no pixels,
  // if a normalization is invalid, or if an output has the name of another output or field.
  DeviceLayout(BatchLayout slot, std::string device, const std::vector<HeldField>& held,
               const std::vector<FieldNormalization>& normalize);

  std::size_t bytes() const noexcept { return bytes_; }  // of the whole buffer
  bool has_outputs() const noexcept { return !outputs_.empty(); }
  bool holds(std::string_view name) const noexcept;  // a field

  // Returns the device's part of a batch, of which `chunk` is cut for the device. Throws ArgumentError if a ragged
  // field has more elements than the device has room for.
  DevicePart part_of(const HostBatch& batch, RowRange chunk) const;
  // Returns what is copied to the device.
  std::vector<BatchPiece> pieces(const HostBatch& batch, const DevicePart& part) const;

  // Returns a field or an output in a buffer at `base`. Throws ArgumentError, listing the names that exist, for any
  // other name, and for a ragged field.
  TensorView view(std::string_view name, std::byte* base, const DevicePart& part) const;
  // Return the parts of a ragged field: [elements, field shape...], and i64 [rows + 1]. Throw ArgumentError.
  TensorView ragged_values(std::string_view name, std::byte* base, const DevicePart& part) const;
  TensorView ragged_offsets(std::string_view name, std::byte* base, const DevicePart& part) const;

  // Enqueues the computation of the outputs from the fields of a buffer at `base`.
  void normalize(std::byte* base, const DevicePart& part, StreamRef stream) const;

 private:
  struct Place {
    HeldField held;
    std::size_t offset = 0;       // of the values, in bytes from the buffer's start
    std::size_t row_offsets = 0;  // of a ragged field
    std::size_t ragged = 0;       // number of ragged fields before this one
  };
  struct Output {
    std::string name;
    Place from;
    PixelShape shape;  // of one row: n is 1
    Normalization how;
    std::size_t offset = 0;  // bytes from the buffer's start
  };

  std::size_t append(std::size_t row_bytes, std::size_t rows);
  void add(const FieldNormalization& wanted);
  void check_name(const std::string& name, const std::string& field) const;
  const Field& field_of(const Place& place) const { return slot_.schema()[place.held.field]; }
  const Place* find(std::string_view name) const noexcept;  // null: the device does not hold it
  const Place& place_of(std::string_view name) const;
  const Place& ragged_place_of(std::string_view name) const;
  void add_ragged(std::vector<BatchPiece>& pieces, const Place& place, const HostBatch& batch,
                  const DevicePart& part) const;

  BatchLayout slot_;
  std::string device_;
  std::vector<Place> places_;
  std::vector<Output> outputs_;
  std::size_t bytes_ = 0;
  std::size_t ragged_ = 0;         // ragged fields
  bool begins_with_slot_ = false;  // the fields are where they are in a slot
};

}  // namespace leat::detail
