// Batches for other frameworks, without a copy: DLPack (https://dmlc.github.io/dlpack).
#pragma once

#include <memory>
#include <string_view>

#include "leat/datasets/tensor_view.h"
#include "leat/loader/host_batch.h"

struct DLManagedTensor;  // of <dlpack/dlpack.h>, which this header does not need

namespace leat {

struct DlpackDeleter {
  void operator()(DLManagedTensor* tensor) const noexcept;
};

// An exported tensor that nobody has taken yet. A consumer that takes a DLManagedTensor* (at::fromDLPack, a
// PyCapsule) is given release(): from then on it calls the tensor's deleter.
using DlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;

// Exports host memory: a field of fixed shape, or any view of the batch's memory (rows of a field,
// ragged_values(), ragged_offsets()). Every tensor has a share of the batch, hence of its slot: the slot is
// filled again when the batch and all tensors of it are gone, so tensors that are kept count as held batches. Each
// may be deleted on any thread, after the loader too.
//
// A batch is made shareable by std::make_shared<const leat::HostBatch>(std::move(batch)).
//
// Throws ArgumentError where there is no batch or no such field of fixed shape, and for a view that lies
// outside the batch.
DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, std::string_view field);
DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, const TensorView& view);

}  // namespace leat
