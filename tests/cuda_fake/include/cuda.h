// The part of the CUDA driver's C interface that leat uses. Its functions are found by
// cudaGetDriverEntryPointByVersion().
#pragma once

#include <cuda_runtime_api.h>

using CUstream = CUstream_st*;
using CUdeviceptr = unsigned long long;
using cuuint32_t = unsigned;

// The errors of the runtime have the same numbers.
enum CUresult { CUDA_SUCCESS = 0 };

enum : unsigned { CU_STREAM_WAIT_VALUE_GEQ = 0 };
