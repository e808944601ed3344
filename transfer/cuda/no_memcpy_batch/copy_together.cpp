#include "leat/transfer/cuda/copy_together.h"

namespace leat::detail::cuda {

const bool kCanCopyTogether = false;

cudaError_t copy_together(const CopyList&, cudaStream_t) {
  return cudaErrorNotSupported;
}

}  // namespace leat::detail::cuda
