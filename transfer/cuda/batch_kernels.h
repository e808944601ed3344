// Batch operations on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "leat/transfer/batch_operations.h"

namespace leat::detail::cuda {

// These implement Device::apply() for memory of the current device. The caller has checked the operation. They return
// the status of the launch.
cudaError_t launch_operation(const BatchOperation& operation, cudaStream_t stream);
cudaError_t launch(const PadRagged& pad, cudaStream_t stream);
cudaError_t launch(const Widen& widen, cudaStream_t stream);
cudaError_t launch(const OneHot& one_hot, cudaStream_t stream);
cudaError_t launch(const MixUp& mix, cudaStream_t stream);
cudaError_t launch(const CutMix& mix, cudaStream_t stream);

}  // namespace leat::detail::cuda
