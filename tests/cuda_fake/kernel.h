// A kernel's grid, run on the calling thread.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace leat::cuda_fake {

// Runs `thread` for each thread of the grid, block after block. Threads of a block run one after the other up to
// where they wait for others of their warp or block.
void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& thread);

}  // namespace leat::cuda_fake
