// A batch in host memory: a lease on the slot that the workers wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "leat/datasets/schema.h"
#include "leat/datasets/tensor_accessor.h"
#include "leat/datasets/tensor_view.h"
#include "leat/loader/batch_layout.h"
#include "leat/loader/ragged_view.h"

namespace leat {

namespace detail {
class SlotOwner;
}

// Move-only. While it lives, nobody else reads or writes its memory; destroying it hands the slot back to be
// filled again, so every view of it is dangling from then on. It may outlive its loader and be destroyed on
// any thread; one object is used by one thread at a time.
class HostBatch {
 public:
  struct Description {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  // in the epoch, from 0
    std::size_t rows = 0;
    std::size_t slot = 0;
    std::byte* data = nullptr;               // start of the slot
    const std::uint64_t* indices = nullptr;  // rows of them
    const BatchLayout* layout = nullptr;
    bool batched = true;  // false: one sample, whose views have no batch dimension
  };

  /// For loaders: the owner of the slot is shared, since a batch may outlive its loader.
  HostBatch(Description description, std::shared_ptr<detail::SlotOwner> owner) noexcept;
  HostBatch(HostBatch&&) noexcept = default;
  HostBatch& operator=(HostBatch&& other) noexcept;
  ~HostBatch();

  std::size_t size() const noexcept { return description_.rows; }  // rows; the last batch may be short
  std::uint64_t epoch() const noexcept { return description_.epoch; }
  std::uint64_t number() const noexcept { return description_.number; }
  const Schema& schema() const noexcept { return description_.layout->schema(); }

  // The dataset's index of each row.
  std::span<const std::uint64_t> indices() const noexcept {
    return {description_.indices, description_.rows};
  }

  // --- Views of the batch's memory. They throw ArgumentError where there is no such field, where it is
  // ragged or of fixed shape and should be the other, and where it holds no T.

  // A field of fixed shape, of all rows: [size(), field shape...].
  TensorView operator[](std::string_view field) const;
  TensorView operator[](std::size_t field) const;

  // The same by index, rows included: view<std::uint8_t, 4>("image")(row, y, x, c).
  template <class T, std::size_t Rank>
  TensorAccessor<T, Rank> view(std::string_view field) const {
    return TensorAccessor<T, Rank>((*this)[field]);
  }
  template <class T, std::size_t Rank>
  TensorAccessor<T, Rank> view(std::size_t field) const {
    return TensorAccessor<T, Rank>((*this)[field]);
  }

  // The rows of a ragged field: values, offsets, one row, and all rows padded.
  template <class T>
  RaggedView<T> ragged(std::string_view field) const {
    return ragged<T>(schema().index_of(field));
  }
  template <class T>
  RaggedView<T> ragged(std::size_t field) const {
    const std::span<const std::int64_t> offsets = row_offsets(field);
    return {schema()[field], ragged_values(field), offsets};
  }

  // One row of a ragged u8 field, as text. Throws ArgumentError where there is no such row.
  std::string_view text(std::string_view field, std::size_t row) const;
  std::string_view text(std::size_t field, std::size_t row) const;

  // The arrays of a ragged field as tensors: all values, [elements, field shape...], and i64 [size() + 1].
  TensorView ragged_values(std::string_view field) const;
  TensorView ragged_values(std::size_t field) const;
  TensorView ragged_offsets(std::string_view field) const;
  TensorView ragged_offsets(std::size_t field) const;

  // The whole slot, as layout() describes it: what one copy moves to a device.
  std::span<std::byte> bytes() const noexcept { return {description_.data, description_.layout->bytes()}; }
  const BatchLayout& layout() const noexcept { return *description_.layout; }

 private:
  std::span<std::int64_t> row_offsets(std::size_t field) const;
  void release() noexcept;

  Description description_;
  std::shared_ptr<detail::SlotOwner> owner_;
};

}  // namespace leat
