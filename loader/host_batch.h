/// \file
/// A batch in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/schema.h"
#include "leat/datasets/tensor_accessor.h"
#include "leat/datasets/tensor_view.h"
#include "leat/loader/batch_layout.h"
#include "leat/loader/ragged_view.h"

namespace leat {

namespace detail {
class SlotOwner;
}

/// A batch in the slot of memory in which the workers wrote it. Movable, not copyable.
///
/// As long as it lives, nobody else reads or writes its memory. Destroying it hands the slot back to be filled again;
/// every view of the batch is dangling from then on. A batch may outlive its loader, and may be destroyed on any
/// thread. One thread at a time uses it.
///
/// Members that take a field throw ArgumentError if there is no such field, if it is ragged where a fixed shape is
/// needed or the reverse, and if its elements are not of type T.
class LEAT_EXPORT HostBatch {
 public:
  /// What a loader knows of a batch.
  struct Description {
    std::uint64_t epoch = 0;                 ///< epoch to which it belongs
    std::uint64_t number = 0;                ///< place in the epoch, from 0
    std::size_t rows = 0;                    ///< number of rows
    std::size_t slot = 0;                    ///< number of the slot
    std::byte* data = nullptr;               ///< start of the slot
    const std::uint64_t* indices = nullptr;  ///< indices of the rows
    const BatchLayout* layout = nullptr;     ///< its layout
    bool batched = true;  ///< if not, it is one sample, and views of it have no batch dimension
  };

  /// Takes over a slot that a loader has filled; for loaders. The batch shares the owner of the slot, since it may
  /// outlive its loader.
  HostBatch(Description description, std::shared_ptr<detail::SlotOwner> owner) noexcept;
  /// Takes over the other's slot; the other may then only be assigned to or destroyed.
  HostBatch(HostBatch&&) noexcept = default;
  /// Hands the slot held back, and takes over that of `other`.
  HostBatch& operator=(HostBatch&& other) noexcept;
  ~HostBatch();

  /// Returns the number of rows; the last batch of an epoch may be short.
  std::size_t size() const noexcept { return description_.rows; }
  std::uint64_t epoch() const noexcept { return description_.epoch; }    ///< epoch to which the batch belongs
  std::uint64_t number() const noexcept { return description_.number; }  ///< place in the epoch, from 0
  const Schema& schema() const noexcept { return description_.layout->schema(); }  ///< the fields

  /// Returns the dataset's index of each row.
  std::span<const std::uint64_t> indices() const noexcept {
    return {description_.indices, description_.rows};
  }

  /// Returns a field of fixed shape, of all rows: [size(), field shape...].
  TensorView operator[](std::string_view field) const;
  /// Returns the field at this place in the schema.
  TensorView operator[](std::size_t field) const;

  /// Returns a field of fixed shape for access by indices, rows included: view<std::uint8_t, 4>("image")(row, y, x, c).
  template <class T, std::size_t Rank>
  TensorAccessor<T, Rank> view(std::string_view field) const {
    return TensorAccessor<T, Rank>((*this)[field]);
  }
  /// Returns the field at this place in the schema for access by indices.
  template <class T, std::size_t Rank>
  TensorAccessor<T, Rank> view(std::size_t field) const {
    return TensorAccessor<T, Rank>((*this)[field]);
  }

  /// Returns the rows of a ragged field, which can be padded.
  template <class T>
  RaggedView<T> ragged(std::string_view field) const {
    return ragged<T>(schema().index_of(field));
  }
  /// Returns the rows of the ragged field at this place in the schema.
  template <class T>
  RaggedView<T> ragged(std::size_t field) const {
    const std::span<const std::int64_t> offsets = row_offsets(field);
    return {schema()[field], ragged_values(field), offsets};
  }

  /// Returns a row of a ragged u8 field as text. Throws ArgumentError if there is no such row.
  std::string_view text(std::string_view field, std::size_t row) const;
  /// Returns a row of the ragged u8 field at this place in the schema as text.
  std::string_view text(std::size_t field, std::size_t row) const;

  /// Returns all values of a ragged field: [elements, field shape...].
  TensorView ragged_values(std::string_view field) const;
  /// Returns all values of the ragged field at this place in the schema.
  TensorView ragged_values(std::size_t field) const;
  /// Returns the row offsets of a ragged field: i64 [size() + 1].
  TensorView ragged_offsets(std::string_view field) const;
  /// Returns the row offsets of the ragged field at this place in the schema.
  TensorView ragged_offsets(std::size_t field) const;

  /// Returns the whole slot, which layout() describes: what one copy moves to a device.
  std::span<std::byte> bytes() const noexcept { return {description_.data, description_.layout->bytes()}; }
  const BatchLayout& layout() const noexcept { return *description_.layout; }  ///< layout of the slot

 private:
  std::span<std::int64_t> row_offsets(std::size_t field) const;
  void release() noexcept;

  Description description_;
  std::shared_ptr<detail::SlotOwner> owner_;
};

}  // namespace leat
