// Words of the host that streams of the fake CUDA runtime wait for.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {

using WaitValue = CUresult(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags);

inline WaitValue* find_wait_value(unsigned version = 11070, const char* name = "cuStreamWaitValue32") {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  must(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &result));
  if ((result == cudaDriverEntryPointSuccess) != (function != nullptr))
    throw std::logic_error("the result and the function do not agree");
  return reinterpret_cast<WaitValue*>(function);
}

// A word of the host that streams wait for.
class HostWord {
 public:
  explicit HostWord(std::uint32_t value) {
    void* memory = nullptr;
    must(cudaHostAlloc(&memory, 8, cudaHostAllocMapped));
    word_ = static_cast<std::uint32_t*>(memory);
    write(value);
  }
  HostWord(const HostWord&) = delete;
  HostWord& operator=(const HostWord&) = delete;
  ~HostWord() { cudaFreeHost(word_); }
  void write(std::uint32_t value) { std::atomic_ref(*word_).store(value, std::memory_order_release); }
  CUresult make_wait(cudaStream_t stream, std::uint32_t value) const {
    return find_wait_value()(stream, reinterpret_cast<CUdeviceptr>(word_), value, CU_STREAM_WAIT_VALUE_GEQ);
  }

 private:
  std::uint32_t* word_ = nullptr;
};

}  // namespace leat::test
