// Which rows and fields of a batch go to which device.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "leat/loader/batch_layout.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/device_layout.h"
#include "leat/transfer/prefetch/transform_steps.h"
#include "leat/transfer/prefetcher.h"
#include "leat/transfer/row_range.h"

namespace leat::detail {

// The first devices each get a chunk of the rows of every field that has no device of its own. A field with a device of
// its own goes there whole; devices that are only named so come last. Immutable.
class BatchDivision {
 public:
  // Throws ArgumentError for no devices, for one that is listed twice, for devices that would never get a row, and for
  // options that name a field or an output that does not fit.
  BatchDivision(const BatchLayout& slot, std::vector<Device*> devices, const PrefetcherOptions& options);

  std::span<Device* const> devices() const noexcept { return devices_; }
  const DeviceLayout& layout(std::size_t device) const noexcept { return layouts_[device]; }
  const TransformSteps& transforms(std::size_t device) const noexcept { return transforms_[device]; }

  // Returns the rows of a batch that each device gets, empty for one that gets none; all rows for a device that is only
  // named by a field.
  std::vector<RowRange> chunks(std::size_t rows) const;
  // Tells whether a device holds anything of a batch of which it gets these rows.
  bool holds_any(std::size_t device, RowRange chunk) const noexcept {
    return chunk.size() > 0 || has_own_[device];
  }

 private:
  std::vector<HeldField> fields_of(std::size_t device, const BatchLayout& slot,
                                   const PrefetcherOptions& options) const;
  void add(const BatchTransform& transform);

  std::vector<Device*> devices_;
  std::size_t cut_;                   // devices that get chunks
  std::vector<bool> has_own_;         // of each device: it gets a field of all rows
  std::deque<DeviceLayout> layouts_;  // at addresses that stay, which the transforms know
  std::vector<TransformSteps> transforms_;
};

}  // namespace leat::detail
