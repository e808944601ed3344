// The arithmetic of training on a device: CBLAS on the host, cuBLAS and a few kernels on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "leat/transfer/device.h"

namespace leat::tools {

// A dense row-major matrix of f32 in a device's memory, which it does not own.
struct Matrix {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t count() const noexcept { return rows * columns; }
};

// A factor of a product: a matrix, or its transpose.
struct Factor {
  Factor(Matrix stored, bool transpose = false)
      : matrix(stored), transposed(transpose) {}  // NOLINT: implicit
  std::size_t rows() const noexcept { return transposed ? matrix.columns : matrix.rows; }
  std::size_t columns() const noexcept { return transposed ? matrix.rows : matrix.columns; }

  Matrix matrix;
  bool transposed;
};

inline Factor transposed(Matrix matrix) {
  return {matrix, true};
}

struct SgdOptions {
  float learning_rate = 0.01F;
  float momentum = 0;
  float weight_decay = 0;
};

// elu(x) is x if x > 0 and exp(x) - 1 otherwise (Clevert et al., "Fast and Accurate Deep Network Learning by
// Exponential Linear Units", 2016, with alpha = 1). Its derivative, in terms of its result y, is 1 if y > 0 and y + 1
// otherwise.
//
// Every member enqueues on `stream`, a stream of the device that the math was made for, and returns. The memory must
// stay allocated until the stream has passed this work. Shapes that do not fit throw ArgumentError at once. One
// thread at a time uses one object; objects are independent, so each replica has its own. Matrices may have no rows.
class Math {
 public:
  virtual ~Math() = default;
  Math(const Math&) = delete;
  Math& operator=(const Math&) = delete;

  virtual std::string name() const = 0;  // name and version of the library

  // Computes out = a b + beta out.
  virtual void multiply(Factor a, Factor b, float beta, Matrix out, StreamRef stream) = 0;

  // Computes values[r][c] += bias[c] and then, if `elu` is set, values = elu(values). `bias` holds values.columns
  // elements.
  virtual void add_bias(Matrix values, const float* bias, bool elu, StreamRef stream) = 0;

  // Computes gradient *= elu'(x), from activation = elu(x).
  virtual void elu_backward(Matrix gradient, const float* activation, StreamRef stream) = 0;

  // Computes sums[c] = sum over r of values[r][c].
  virtual void sum_rows(Matrix values, float* sums, StreamRef stream) = 0;

  // Computes the cross-entropy of softmax(logits) against one label per row, each in [0, logits.columns):
  //   totals[0] += sum over rows of -log softmax(logits)[label]
  //   totals[1] += number of rows whose largest logit (the first of equals) is that of the label
  //   gradient   = scale * (softmax(logits) - onehot(label)), if `gradient` is not null; it may be logits.data.
  virtual void softmax_cross_entropy(Matrix logits, const std::int64_t* labels, float scale, float* gradient,
                                     double* totals, StreamRef stream) = 0;

  // Computes PyTorch's SGD for `count` elements: v = momentum v + (g + weight_decay w); w -= learning_rate v.
  virtual void sgd(float* weights, const float* gradients, float* velocity, std::size_t count,
                   const SgdOptions& options, StreamRef stream) = 0;

 protected:
  Math() = default;
};

// Throws ArgumentError if a b does not have the shape of `out`.
void check_product(const Factor& a, const Factor& b, const Matrix& out);

// Returns the math of a device. Throws DeviceError if this build has none for it.
std::unique_ptr<Math> make_math(Device& device);

// The backends, from which make_math() chooses.
std::unique_ptr<Math> make_host_math(Device& device);
std::unique_ptr<Math> make_cuda_math(Device& device);

}  // namespace leat::tools
