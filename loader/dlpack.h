/// \file
/// Export of batches to other frameworks without a copy, by DLPack (https://dmlc.github.io/dlpack).
#pragma once

#include <memory>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"
#include "leat/loader/host_batch.h"

struct DLManagedTensor;  // of <dlpack/dlpack.h>, which this header does not need

namespace leat {

/// Calls the deleter of an exported tensor.
struct LEAT_EXPORT DlpackDeleter {
  /// Gives up the tensor's share of its batch.
  void operator()(DLManagedTensor* tensor) const noexcept;
};

/// An exported tensor that no consumer has taken yet. Pass release() to a consumer that takes a DLManagedTensor*, such
/// as at::fromDLPack or a PyCapsule; the consumer then calls the tensor's deleter.
using DlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;

/// Exports a field of fixed shape of a batch, without a copy.
///
/// Each tensor shares the batch, as std::make_shared<const leat::HostBatch>(std::move(batch)) makes it shareable. The
/// batch's memory is filled again when the batch and all its tensors are gone, so a tensor that is kept counts as a
/// held batch. Tensors may be deleted on any thread, and may outlive the loader.
///
/// Throws ArgumentError if there is no batch, or no such field of fixed shape.
LEAT_EXPORT DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, std::string_view field);

/// Exports any view of a batch's memory, such as rows of a field, ragged_values() or ragged_offsets(), on the same
/// terms. Throws ArgumentError if there is no batch, or if the view lies outside it.
LEAT_EXPORT DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, const TensorView& view);

}  // namespace leat
