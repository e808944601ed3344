/// \file
/// Export of batches in device memory to other frameworks without a copy, by DLPack (https://dmlc.github.io/dlpack).
#pragma once

#include <memory>
#include <string_view>

#include "leat/datasets/export.h"
#include "leat/loader/dlpack.h"
#include "leat/transfer/device.h"
#include "leat/transfer/device_batch.h"

namespace leat {

/// Exports a field of a batch, or the result of a transform, without a copy. DLPack's device is the batch's: kDLCUDA
/// with the GPU's number, or kDLCPU; also for fields that PrefetcherOptions::mapped names, which that device can read.
///
/// Each tensor shares the batch, as std::make_shared<const leat::DeviceBatch>(std::move(batch)) makes it shareable. The
/// batch's buffer is given back when the batch and all its tensors are gone, so a tensor that is kept counts as a held
/// batch. Tensors may be deleted on any thread, and may outlive the prefetcher.
///
/// Who takes the tensor uses it on the batch's stream, DeviceBatch::stream(), and that stream must outlive the tensor.
/// On the host device, whose frameworks know no streams, the call waits until the stream is empty, so that the caller
/// can read the tensor at once.
///
/// Throws ArgumentError if there is no batch, or no such field; on the host device, what failed on the stream.
LEAT_EXPORT DlpackTensor to_dlpack(std::shared_ptr<const DeviceBatch> batch, std::string_view field);

/// Exports a field to a framework that works on another stream, `consumer`: the `stream` that DLPack's protocol passes
/// to __dlpack__(). Work that is enqueued on `consumer` after the call sees the batch's contents. When the tensor is
/// deleted, the batch's stream waits for the work that is enqueued on `consumer` by then; the host never waits.
///
/// Both streams must outlive the tensor. Neither may be capturing a CUDA graph in this call or when the tensor is
/// deleted. If the wait cannot be enqueued when the tensor is deleted, the host waits for `consumer` instead.
///
/// Throws as above, and DeviceError if `consumer` cannot wait for the batch's stream.
LEAT_EXPORT DlpackTensor to_dlpack(std::shared_ptr<const DeviceBatch> batch, std::string_view field,
                                   StreamRef consumer);

}  // namespace leat
