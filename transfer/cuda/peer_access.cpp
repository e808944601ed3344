#include "leat/transfer/cuda/peer_access.h"

#include <cuda_runtime_api.h>

#include "leat/transfer/cuda/check.h"

namespace leat::detail::cuda {

void PeerAccess::ensure(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), device_, "cudaPointerGetAttributes");
  if (attributes.type != cudaMemoryTypeDevice || attributes.device == ordinal_) return;
  const std::lock_guard lock(mutex_);
  if (known_.contains(attributes.device)) return;
  enable(attributes.device);
  known_.insert(attributes.device);
}

void PeerAccess::enable(int peer) {
  int is_possible = 0;
  check(cudaDeviceCanAccessPeer(&is_possible, ordinal_, peer), device_, "cudaDeviceCanAccessPeer");
  if (is_possible == 0) return;
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorTooManyPeers) {
    clear(status);  // somebody else did it; or CUDA copies through host memory
  } else {
    check(status, device_, "cudaDeviceEnablePeerAccess");
  }
}

}  // namespace leat::detail::cuda
