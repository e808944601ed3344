// Normalization of pixels on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "leat/transfer/normalize.h"

namespace leat::detail::cuda {

// Implements Device::normalize() for memory of the current device. The caller has checked `how`. Returns the status
// of the launch.
cudaError_t launch_normalize(void* to, const std::uint8_t* from, const std::uint8_t* flipped_rows,
                             const PixelShape& shape, const Normalization& how, cudaStream_t stream);

}  // namespace leat::detail::cuda
