// Tells memory of GPUs from memory of the host.
#pragma once

#include <string>

namespace leat::detail {

// Returns the name of the GPU in whose memory the address lies, "cuda:0"; empty if it is the host's. A process that has
// made no Device for a GPU, such as one without a GPU, is told that all memory is the host's, and CUDA is not started
// for the answer. Thread-safe. The CUDA backend defines it, or its stand-in.
std::string gpu_of(const void* memory);

}  // namespace leat::detail
