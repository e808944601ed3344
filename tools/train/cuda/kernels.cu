#include "tools/train/cuda/kernels.h"

#include <limits>
#include <string>

#include "leat/transfer/cuda/check.h"
#include "leat/transfer/cuda/launch.h"
#include "leat/transfer/device.h"

namespace leat::tools::kernels {
namespace {

constexpr unsigned kThreads = 256;  // per block
constexpr unsigned kWarp = 32;

__device__ std::size_t thread_index() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__global__ void add_bias_kernel(float* values, const float* bias, std::size_t count, std::size_t columns,
                                bool elu) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const float value = values[i] + bias[i % columns];
  values[i] = elu && value < 0 ? expm1f(value) : value;
}

__global__ void elu_backward_kernel(float* gradient, const float* activation, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) gradient[i] *= activation[i] > 0 ? 1.0F : activation[i] + 1;
}

__global__ void sum_rows_kernel(const float* values, float* sums, std::size_t rows, std::size_t columns) {
  const std::size_t c = thread_index();
  if (c >= columns) return;
  float sum = 0;
  for (std::size_t r = 0; r < rows; ++r) sum += values[r * columns + c];
  sums[c] = sum;
}

__global__ void sgd_kernel(float* weights, const float* gradients, float* velocity, std::size_t count,
                           SgdOptions options) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  velocity[i] = options.momentum * velocity[i] + (gradients[i] + options.weight_decay * weights[i]);
  weights[i] -= options.learning_rate * velocity[i];
}

struct Best {
  float value;
  std::size_t column;
};

// Returns the largest value of the warp, and the first if several are equal. The result is the same in every lane.
__device__ Best warp_best(Best best) {
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    const float value = __shfl_xor_sync(~0U, best.value, offset);
    const std::size_t column = __shfl_xor_sync(~0U, static_cast<unsigned long long>(best.column), offset);
    if (value > best.value || (value == best.value && column < best.column)) best = {value, column};
  }
  return best;
}

__device__ double warp_sum(double value) {
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(~0U, value, offset);
  return value;
}

// Uses one warp per row. A label out of range makes the loss NaN, which the trainer reports.
__global__ void softmax_cross_entropy_kernel(const float* logits, std::size_t rows, std::size_t columns,
                                             const std::int64_t* labels, float scale, float* gradient,
                                             double* totals) {
  const std::size_t row = thread_index() / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  if (row >= rows) return;
  const float* values = logits + row * columns;
  Best best{-INFINITY, columns};
  for (std::size_t c = lane; c < columns; c += kWarp) {
    if (values[c] > best.value) best = {values[c], c};
  }
  best = warp_best(best);
  const double largest = best.value;
  double sum = 0;
  for (std::size_t c = lane; c < columns; c += kWarp) sum += exp(values[c] - largest);
  sum = warp_sum(sum);
  const std::int64_t label = labels[row];
  const bool valid = label >= 0 && static_cast<std::size_t>(label) < columns;
  if (lane == 0) {
    atomicAdd(&totals[0], valid ? log(sum) - (values[label] - largest) : static_cast<double>(NAN));
    if (valid && best.column == static_cast<std::size_t>(label)) atomicAdd(&totals[1], 1.0);
  }
  __syncwarp();  // the label's logit is read before `gradient`, perhaps the same memory, is written
  if (gradient == nullptr) return;
  for (std::size_t c = lane; c < columns; c += kWarp) {
    const double probability = exp(values[c] - largest) / sum;
    gradient[row * columns + c] =
        static_cast<float>(scale * (probability - (static_cast<std::int64_t>(c) == label ? 1 : 0)));
  }
}

// Launches `kernel` with as many blocks of kThreads as `items` need.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::size_t items, std::size_t items_per_block,
            cudaStream_t stream, Arguments... arguments) {
  if (items == 0) return;
  const std::size_t blocks = (items + items_per_block - 1) / items_per_block;
  if (blocks > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw ArgumentError(std::to_string(items) + " items are more than one kernel can take");
  }
  const cudaError_t status = leat::detail::cuda::launch_kernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                                               kThreads, stream, arguments...);
  leat::detail::cuda::check(status, "cuda", "a kernel's launch");
}

}  // namespace

void add_bias(Matrix values, const float* bias, bool elu, cudaStream_t stream) {
  launch(add_bias_kernel, values.count(), kThreads, stream, values.data, bias, values.count(), values.columns,
         elu);
}

void elu_backward(Matrix gradient, const float* activation, cudaStream_t stream) {
  launch(elu_backward_kernel, gradient.count(), kThreads, stream, gradient.data, activation,
         gradient.count());
}

void sum_rows(Matrix values, float* sums, cudaStream_t stream) {
  launch(sum_rows_kernel, values.columns, kThreads, stream, values.data, sums, values.rows, values.columns);
}

void softmax_cross_entropy(Matrix logits, const std::int64_t* labels, float scale, float* gradient,
                           double* totals, cudaStream_t stream) {
  launch(softmax_cross_entropy_kernel, logits.rows, kThreads / kWarp, stream, logits.data, logits.rows,
         logits.columns, labels, scale, gradient, totals);
}

void sgd(float* weights, const float* gradients, float* velocity, std::size_t count,
         const SgdOptions& options, cudaStream_t stream) {
  launch(sgd_kernel, count, kThreads, stream, weights, gradients, velocity, count, options);
}

}  // namespace leat::tools::kernels
