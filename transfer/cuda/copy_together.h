// Several copies in one call of the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::detail::cuda {

// Copies in the form in which the runtime takes them, without those of 0 bytes.
class CopyList {
 public:
  void add(const MemoryCopy& copy) {
    if (copy.bytes == 0) return;
    to_.push_back(copy.to);
    from_.push_back(copy.from);
    sizes_.push_back(copy.bytes);
    bytes_ += copy.bytes;
  }
  std::size_t size() const noexcept { return sizes_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }  // of all together

  void* const* to() const noexcept { return to_.data(); }
  const void* const* from() const noexcept { return from_.data(); }
  const std::size_t* sizes() const noexcept { return sizes_.data(); }

 private:
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> sizes_;
  std::size_t bytes_ = 0;
};

// Tells whether the toolkit has cudaMemcpyBatchAsync() as it is since CUDA 13. (In CUDA 12.8, it took one more
// parameter.) The build picks the folder: memcpy_batch/ or no_memcpy_batch/.
extern const bool kCanCopyTogether;

// Enqueues the copies by one call of cudaMemcpyBatchAsync(). There must be at least one, and the stream must neither be
// CUDA's legacy default stream nor be capturing. Returns cudaErrorNotSupported if the toolkit lacks the function.
cudaError_t copy_together(const CopyList& copies, cudaStream_t stream);

}  // namespace leat::detail::cuda
