/// \file
/// Copies of tensors from a device's memory to the host's, for tests, logs and debugging.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"
#include "leat/transfer/device.h"

namespace leat {

namespace detail {
// Copies the tensor to `to`, which has room for view.bytes() bytes, behind what is enqueued on `stream`. Blocks until
// the copy is made.
LEAT_EXPORT void copy_to_host(void* to, const TensorView& view, StreamRef stream);
}  // namespace detail

/// Returns the bytes of a tensor in memory of the stream's device: contiguous, row-major. Sees what the work that is
/// enqueued on `stream` writes: copy_to_host(batch["image"], batch.stream()). Blocks until the stream has passed this
/// point, so it is not meant for a training loop's every step.
///
/// Throws what failed on the stream, and DeviceError if the device cannot copy.
LEAT_EXPORT std::vector<std::byte> copy_to_host(const TensorView& view, StreamRef stream);

/// Returns the elements of a tensor in memory of the stream's device, in row-major order. Otherwise like
/// copy_to_host(view, stream), of which bools are to be read as bytes. Throws ArgumentError if T is not the dtype.
template <class T>
std::vector<T> copy_to_host(const TensorView& view, StreamRef stream) {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to copy to: take the bytes");
  std::vector<T> values(view.as<T>().size());
  detail::copy_to_host(values.data(), view, stream);
  return values;
}

}  // namespace leat
