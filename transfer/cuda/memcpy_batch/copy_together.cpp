#include "leat/transfer/cuda/copy_together.h"

namespace leat::detail::cuda {

const bool kCanCopyTogether = true;

// The sources are read in the stream's order, as those of cudaMemcpyAsync() are.
cudaError_t copy_together(const CopyList& copies, cudaStream_t stream) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;  // the attributes are those of the copies from this one on
  return cudaMemcpyBatchAsync(copies.to(), copies.from(), copies.sizes(), copies.size(), &attributes, &first,
                              1, stream);
}

}  // namespace leat::detail::cuda
