// A batch in host memory: a lease on the slot that the workers wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "datasets/schema.h"
#include "loader/base/tensor_view.h"
#include "loader/batch_layout.h"

namespace leat {

// Who gets a slot back. Thread-safe.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  virtual void release(std::size_t slot) noexcept = 0;
};

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
  };

  // The owner is shared since a batch may outlive the loader.
  HostBatch(Description description, std::shared_ptr<SlotOwner> owner) noexcept;
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

  // One field of all rows, shape [size(), field shape...]. Throws ArgumentError where there is no such field.
  TensorView operator[](std::string_view field) const;
  TensorView operator[](std::size_t field) const;

  // The whole slot, as layout() describes it: what one copy moves to a device.
  std::span<std::byte> bytes() const noexcept { return {description_.data, description_.layout->bytes()}; }
  const BatchLayout& layout() const noexcept { return *description_.layout; }

 private:
  void release() noexcept;

  Description description_;
  std::shared_ptr<SlotOwner> owner_;
};

}  // namespace leat
