// The transforms of a prefetcher on one device.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "leat/transfer/batch_transforms.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetch/device_layout.h"

namespace leat::detail {

// Each transform becomes a step, which knows the columns that it reads and writes. Constant once all are added.
class TransformSteps {
 public:
  // Tells whether a layout has what the transform is made of: its first operand.
  static bool applies(const BatchTransform& transform, const DeviceLayout& layout);

  // Adds a transform, and the room for its results to the layout. Throws ArgumentError, with the name of the field, if
  // an operand is missing or has a dtype or shape that the transform cannot take, or if a parameter is out of range.
  void add(const BatchTransform& transform, DeviceLayout& layout);

  bool empty() const noexcept { return steps_.empty(); }
  // Enqueues all steps, in order, for a buffer.
  void enqueue(const BufferMemory& buffer, const DevicePart& part, StreamRef stream) const;

 private:
  using Step = std::function<void(const BufferMemory& buffer, const DevicePart& part, StreamRef stream)>;

  std::vector<Step> steps_;
};

}  // namespace leat::detail
