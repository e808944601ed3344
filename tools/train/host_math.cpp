// The math of the host: CBLAS for products, loops for the rest.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>

#include "tools/train/math.h"

namespace leat::tools {
namespace {

// Runs a product. OpenBLAS is limited to one thread per product, because replicas provide the parallelism here, and
// the other cores belong to the loader's workers. A serial build of OpenBLAS hands out its buffers without a lock, so
// several products at once give wrong results (seen with 0.3.21 of Debian 12). With such a build, products run one at
// a time. Builds with threads are safe.
template <class Product>
void run_product(const Product& product) {
  static std::mutex mutex;
  if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
    const std::lock_guard lock(mutex);
    return product();
  }
  // Once for each calling thread, because the OpenMP build keeps the number of threads per thread.
  thread_local const bool single = [] {
    const std::lock_guard lock(mutex);
    openblas_set_num_threads(1);
    return true;
  }();
  if (single) product();
}

int blas_size(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw ArgumentError(fmt::format("a matrix extent of {} is more than CBLAS can take (2^31 - 1)", size));
  }
  return static_cast<int>(size);
}

float activated(float value, bool elu) {
  return elu && value < 0 ? std::expm1(value) : value;
}

void softmax_row(std::span<const float> logits, std::size_t label, float scale, float* gradient,
                 double* totals) {
  const std::size_t best = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
  const double largest = logits[best];
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  totals[0] += std::log(sum) - (logits[label] - largest);
  totals[1] += best == label ? 1 : 0;
  if (gradient == nullptr) return;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double probability = std::exp(logits[c] - largest) / sum;
    gradient[c] = static_cast<float>(scale * (probability - (c == label ? 1 : 0)));
  }
}

class HostMath final : public Math {
 public:
  explicit HostMath(Device& device) : device_(&device) {}

  std::string name() const override { return fmt::format("CBLAS ({})", openblas_get_config()); }

  void multiply(Factor a, Factor b, float beta, Matrix out, StreamRef stream) override {
    check_product(a, b, out);
    if (out.count() == 0) return;
    const int rows = blas_size(out.rows), columns = blas_size(out.columns), inner = blas_size(a.columns());
    const int a_stride = blas_size(a.matrix.columns), b_stride = blas_size(b.matrix.columns);
    device_->enqueue(stream, [=] {
      run_product([&] {
        cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                    b.transposed ? CblasTrans : CblasNoTrans, rows, columns, inner, 1.0F, a.matrix.data,
                    a_stride, b.matrix.data, b_stride, beta, out.data, columns);
      });
    });
  }

  void add_bias(Matrix values, const float* bias, bool elu, StreamRef stream) override {
    device_->enqueue(stream, [=] {
      for (std::size_t r = 0; r < values.rows; ++r) {
        float* row = values.data + r * values.columns;
        for (std::size_t c = 0; c < values.columns; ++c) row[c] = activated(row[c] + bias[c], elu);
      }
    });
  }

  void elu_backward(Matrix gradient, const float* activation, StreamRef stream) override {
    device_->enqueue(stream, [=] {
      for (std::size_t i = 0; i < gradient.count(); ++i) {
        gradient.data[i] *= activation[i] > 0 ? 1.0F : activation[i] + 1;
      }
    });
  }

  void sum_rows(Matrix values, float* sums, StreamRef stream) override {
    device_->enqueue(stream, [=] {
      std::fill_n(sums, values.columns, 0.0F);
      for (std::size_t r = 0; r < values.rows; ++r) {
        const float* row = values.data + r * values.columns;
        for (std::size_t c = 0; c < values.columns; ++c) sums[c] += row[c];
      }
    });
  }

  void softmax_cross_entropy(Matrix logits, const std::int64_t* labels, float scale, float* gradient,
                             double* totals, StreamRef stream) override {
    device_->enqueue(stream, [=] {
      for (std::size_t r = 0; r < logits.rows; ++r) {
        if (labels[r] < 0 || static_cast<std::size_t>(labels[r]) >= logits.columns) {
          throw ArgumentError(
              fmt::format("label {} of row {} is not in [0, {})", labels[r], r, logits.columns));
        }
        softmax_row({logits.data + r * logits.columns, logits.columns}, static_cast<std::size_t>(labels[r]),
                    scale, gradient == nullptr ? nullptr : gradient + r * logits.columns, totals);
      }
    });
  }

  void sgd(float* weights, const float* gradients, float* velocity, std::size_t count,
           const SgdOptions& options, StreamRef stream) override {
    device_->enqueue(stream, [=] {
      for (std::size_t i = 0; i < count; ++i) {
        velocity[i] = options.momentum * velocity[i] + (gradients[i] + options.weight_decay * weights[i]);
        weights[i] -= options.learning_rate * velocity[i];
      }
    });
  }

 private:
  Device* device_;
};

}  // namespace

std::unique_ptr<Math> make_host_math(Device& device) {
  return std::make_unique<HostMath>(device);
}

}  // namespace leat::tools
