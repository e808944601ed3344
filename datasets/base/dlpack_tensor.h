// Tensors as DLPack describes them.
#pragma once

#include <memory>

#include "leat/datasets/tensor_view.h"

struct DLManagedTensor;  // of <dlpack/dlpack.h>

namespace leat::detail {

// The device whose memory a tensor is in, with its number among those of its kind.
struct DlpackDevice {
  enum class Kind { host, cuda };
  Kind kind = Kind::host;
  int ordinal = 0;
};

// Describes `view`, whose memory `owner` keeps alive. The tensor's deleter, which may be called on any thread, destroys
// the tensor and gives up its share of `owner`.
DLManagedTensor* make_dlpack_tensor(const TensorView& view, DlpackDevice device,
                                    std::shared_ptr<const void> owner);

// Calls the tensor's deleter.
void delete_dlpack_tensor(DLManagedTensor* tensor) noexcept;

}  // namespace leat::detail
