// The math of a GPU: cuBLAS in plain f32 (no TF32, so that results agree with the host's) and one kernel per
// operation.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <limits>

#include "tools/train/cuda/kernels.h"
#include "tools/train/math.h"

namespace leat::tools {
namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw DeviceError(fmt::format("cuda: {}: {}", call, cudaGetErrorString(status)));
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw DeviceError(fmt::format("cuda: {}: {}", call, cublasGetStatusString(status)));
  }
}

int blas_size(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw ArgumentError(fmt::format("a matrix extent of {} is more than cuBLAS can take (2^31 - 1)", size));
  }
  return static_cast<int>(size);
}

class CudaMath final : public Math {
 public:
  explicit CudaMath(Device& device) : ordinal_(ordinal_of(device)) {
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    check(cublasCreate(&cublas_), "cublasCreate");
  }
  ~CudaMath() override { cublasDestroy(cublas_); }

  std::string name() const override {
    int version = 0;
    check(cublasGetVersion(cublas_, &version), "cublasGetVersion");
    return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

  // cuBLAS is column-major: a row-major matrix looks like its transpose to cuBLAS. So compute out^T = b^T a^T.
  void multiply(Factor a, Factor b, float beta, Matrix out, StreamRef stream) override {
    check_product(a, b, out);
    if (out.count() == 0) return;
    check(cublasSetStream(cublas_, use(stream)), "cublasSetStream");
    const float one = 1;
    check(cublasSgemm(cublas_, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, blas_size(out.columns), blas_size(out.rows),
                      blas_size(a.columns()), &one, b.matrix.data, blas_size(b.matrix.columns), a.matrix.data,
                      blas_size(a.matrix.columns), &beta, out.data, blas_size(out.columns)),
          "cublasSgemm");
  }

  void add_bias(Matrix values, const float* bias, bool elu, StreamRef stream) override {
    kernels::add_bias(values, bias, elu, use(stream));
  }

  void elu_backward(Matrix gradient, const float* activation, StreamRef stream) override {
    kernels::elu_backward(gradient, activation, use(stream));
  }

  void sum_rows(Matrix values, float* sums, StreamRef stream) override {
    kernels::sum_rows(values, sums, use(stream));
  }

  void softmax_cross_entropy(Matrix logits, const std::int64_t* labels, float scale, float* gradient,
                             double* totals, StreamRef stream) override {
    kernels::softmax_cross_entropy(logits, labels, scale, gradient, totals, use(stream));
  }

  void sgd(float* weights, const float* gradients, float* velocity, std::size_t count,
           const SgdOptions& options, StreamRef stream) override {
    kernels::sgd(weights, gradients, velocity, count, options, use(stream));
  }

 private:
  // Device does not provide its ordinal as a number, so it is taken from the device's memory.
  static int ordinal_of(Device& device) {
    const DeviceBuffer probe = device.allocate(1);
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, probe.data()), "cudaPointerGetAttributes");
    return attributes.device;
  }

  // Returns the stream's handle, and makes its device the current one.
  cudaStream_t use(StreamRef stream) {
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    return static_cast<cudaStream_t>(stream.handle());
  }

  int ordinal_;
  cublasHandle_t cublas_ = nullptr;
};

}  // namespace

std::unique_ptr<Math> make_cuda_math(Device& device) {
  return std::make_unique<CudaMath>(device);
}

}  // namespace leat::tools
