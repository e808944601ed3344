// Launching kernels.
#pragma once

#include <cuda_runtime.h>

namespace leat::detail::cuda {

// Launches a kernel of one-dimensional blocks, and returns the status of this launch. (The runtime's last error, which
// <<<...>>> would leave to ask for, may be that of an earlier call of somebody else.)
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, cudaStream_t stream,
                          Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace leat::detail::cuda
