#include "leat/transfer/cuda/batch_kernels.h"

namespace leat::detail::cuda {

cudaError_t launch_operation(const BatchOperation& operation, cudaStream_t stream) {
  return std::visit([stream](const auto& each) { return launch(each, stream); }, operation);
}

}  // namespace leat::detail::cuda
