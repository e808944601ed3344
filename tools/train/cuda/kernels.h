// The kernels that cuda_math.cpp uses. Their contracts are those of Math. The device of `stream` must be the current
// device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "tools/train/math.h"

namespace leat::tools::kernels {

void add_bias(Matrix values, const float* bias, bool elu, cudaStream_t stream);
void elu_backward(Matrix gradient, const float* activation, cudaStream_t stream);
void sum_rows(Matrix values, float* sums, cudaStream_t stream);
void softmax_cross_entropy(Matrix logits, const std::int64_t* labels, float scale, float* gradient,
                           double* totals, cudaStream_t stream);
void sgd(float* weights, const float* gradients, float* velocity, std::size_t count,
         const SgdOptions& options, cudaStream_t stream);

}  // namespace leat::tools::kernels
