// cuBLAS' few functions over CBLAS.
#include <cblas.h>
#include <cublas_v2.h>

#include "tests/cuda_fake/runtime.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

using namespace leat::cuda_fake;

namespace {

CBLAS_TRANSPOSE transposition(cublasOperation_t operation) {
  return operation == CUBLAS_OP_T ? CblasTrans : CblasNoTrans;
}

template <class T>
T* alias_of(T* address) {
  return reinterpret_cast<T*>(Runtime::get().alias_of(address));
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "the fake cuBLAS refuses";
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t a_operation,
                           cublasOperation_t b_operation, int rows, int columns, int inner,
                           const float* alpha, const float* a, int a_stride, const float* b, int b_stride,
                           const float* beta, float* c, int c_stride) {
  const cudaError_t error =
      call_on(handle->stream, "cublasSgemm", Kind::plain,
              [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                if (queue->device != current_device()) return cudaErrorInvalidResourceHandle;
                const float* const first = alias_of(a);
                const float* const second = alias_of(b);
                float* const result = alias_of(c);
                if ((inner > 0 && (first == nullptr || second == nullptr)) || result == nullptr)
                  return cudaErrorInvalidValue;
                Runtime::get().enqueue(
                    lock, *queue, {.name = "product", .run = [=, alpha = *alpha, beta = *beta] {
                                     cblas_sgemm(CblasColMajor, transposition(a_operation),
                                                 transposition(b_operation), rows, columns, inner, alpha,
                                                 first, a_stride, second, b_stride, beta, result, c_stride);
                                   }});
                return cudaSuccess;
              });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
